import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A test for tools that turn class files into Java source: runs the tool on a jar, compiles what it wrote, and looks at
 * the errors. Tool and compiler run inside this process, so that as a persistent test they start only once. The options of
 * the virtual machine halve the time of a query: code that runs for seconds is not worth its best compiler.
 *
 * <pre>
 * java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp TOOL.jar JvmCheck.java --main CLASS --arg A --arg {jar} --arg {out} WHAT [--class-path P] [--persistent] [JAR]
 * WHAT:  --error TEXT      an error whose first line contains the text
 *        --errors-of JAR   exactly the errors of that jar, places left out
 *        --fails           any error
 * </pre>
 */
public class JvmCheck {
    private final List<String> toolArguments = new ArrayList<>();
    private String main;
    private String error;
    private String errorsOf;
    private boolean fails;
    private boolean persistent;
    private String classPath;
    private String jar;
    private List<String> wanted;
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    /** One for all calls: opening the platform's classes anew takes longer than compiling a small program. */
    private final StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);
    private final PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());

    public static void main(String[] arguments) throws Exception {
        JvmCheck check = new JvmCheck();
        check.read(arguments);
        PrintStream out = System.out;
        if (check.errorsOf != null) {
            check.wanted = check.errors(check.errorsOf);
            if (check.wanted.isEmpty()) {
                System.err.println(check.errorsOf + ": what the tool writes compiles without an error");
                System.exit(2);
            }
        }
        if (!check.persistent) {
            System.exit(check.isInteresting(check.jar) ? 0 : 1);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            out.println(check.isInteresting(path) ? 0 : 1);
            out.flush();
        }
    }

    private void read(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--main" -> main = value(arguments, ++i);
                case "--arg" -> toolArguments.add(value(arguments, ++i));
                case "--error" -> error = value(arguments, ++i);
                case "--errors-of" -> errorsOf = value(arguments, ++i);
                case "--class-path" -> classPath = value(arguments, ++i);
                case "--fails" -> fails = true;
                case "--persistent" -> persistent = true;
                default -> {
                    if (arguments[i].startsWith("--")) {
                        usage("unknown option " + arguments[i]);
                    }
                    jar = arguments[i];
                }
            }
        }
        if (main == null || (error == null && errorsOf == null && !fails) || (jar == null && !persistent)) {
            usage("needed: --main, one of --error, --errors-of, --fails, and a jar or --persistent");
        }
    }

    private static String value(String[] arguments, int index) {
        if (index >= arguments.length) {
            usage(arguments[index - 1] + " needs a value");
        }
        return arguments[index];
    }

    private static void usage(String problem) {
        System.err.println("JvmCheck: " + problem);
        System.exit(2);
    }

    private boolean isInteresting(String path) throws Exception {
        List<String> errors = errors(path);
        if (error != null) {
            return errors.stream().anyMatch(line -> line.contains(error));
        }
        return wanted != null ? errors.equals(wanted) : !errors.isEmpty();
    }

    /** File name and first line of every error, sorted; without line numbers, details and warnings. */
    private List<String> errors(String path) throws Exception {
        Path work = Files.createTempDirectory("jvm-check");
        PrintStream out = System.out;
        PrintStream err = System.err;
        try {
            Path source = work.resolve("src");
            String[] call =
                    toolArguments.stream()
                            .map(text -> text.replace("{jar}", path).replace("{out}", source.toString()))
                            .toArray(String[]::new);
            System.setOut(nowhere);
            System.setErr(nowhere);
            try {
                Class.forName(main).getMethod("main", String[].class).invoke(null, (Object) call);
            } catch (ReflectiveOperationException | LinkageError problem) {
                // A tool that gives up in the middle has written something or nothing; that is looked at below.
            }
            return compile(source, work.resolve("classes"));
        } finally {
            System.setOut(out);
            System.setErr(err);
            try (Stream<Path> all = Files.walk(work)) {
                all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            }
        }
    }

    private List<String> compile(Path source, Path classes) throws Exception {
        if (!Files.isDirectory(source)) {
            return List.of();
        }
        List<Path> files;
        try (Stream<Path> all = Files.walk(source)) {
            files = all.filter(file -> file.toString().endsWith(".java")).sorted().collect(Collectors.toList());
        }
        if (files.isEmpty()) {
            return List.of();
        }
        Files.createDirectory(classes);
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = new ArrayList<>(List.of("-nowarn", "-proc:none", "-Xmaxwarns", "0", "-Xmaxerrs", "200"));
        options.addAll(List.of("-d", classes.toString(), "-cp", classPath == null ? classes.toString() : classPath));
        Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromPaths(files);
        compiler.getTask(new StringWriter(), manager, found, options, null, units).call();
        return found.getDiagnostics().stream()
                .filter(one -> one.getKind() == Diagnostic.Kind.ERROR)
                .map(one -> name(source, one) + ": error: " + one.getMessage(Locale.ROOT).lines().findFirst().orElse(""))
                .sorted()
                .collect(Collectors.toList());
    }

    private static String name(Path source, Diagnostic<? extends JavaFileObject> one) {
        return one.getSource() == null ? "" : source.relativize(Path.of(one.getSource().toUri())).toString();
    }
}
