import java.io.BufferedReader;
import java.io.InputStreamReader;
import javax.tools.ToolProvider;

/** Compiles one file a line (source, directory for classes, release; tabs between) and answers with the compiler's status. */
public class Compile {
    public static void main(String[] none) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] part = line.split("\t");
            int status =
                    ToolProvider.getSystemJavaCompiler()
                            .run(null, null, null, "-nowarn", "-g", "--release", part[2], "-d", part[1], part[0]);
            System.out.println(status);
        }
    }
}
