import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Links every class of many jars, each jar with a loader of its own, and prints one line for each class that fails. */
public class Verify {
    public static void main(String[] args) throws Exception {
        // First argument: a file with one jar a line. The others: jars every one of them may use.
        for (String jar : Files.readAllLines(Path.of(args[0]))) {
            List<URL> urls = new ArrayList<>();
            urls.add(new File(jar).toURI().toURL());
            for (int i = 1; i < args.length; i++) {
                urls.add(new File(args[i]).toURI().toURL());
            }
            int classes = 0;
            try (URLClassLoader loader =
                            new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
                    JarFile file = new JarFile(jar)) {
                for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
                    String name = entry.getName();
                    if (!name.endsWith(".class") || name.startsWith("META-INF/") || name.equals("module-info.class")) {
                        continue;
                    }
                    name = name.substring(0, name.length() - 6).replace('/', '.');
                    classes++;
                    try {
                        // Asking for methods links the class, which verifies it, and loads the types of its members.
                        Class<?> c = Class.forName(name, false, loader);
                        c.getDeclaredMethods();
                        c.getDeclaredFields();
                        c.getDeclaredConstructors();
                    } catch (Throwable problem) {
                        System.out.println(
                                jar + "\t" + name + "\t" + problem.toString().replaceAll("\\s+", " "));
                    }
                }
            }
            System.out.println(jar + "\tDONE\t" + classes);
        }
    }
}
