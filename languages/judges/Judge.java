// Judges Java by javac's own parser: a path a line, 0 if it parses.
import com.sun.source.util.JavacTask;
import java.io.*;
import java.util.List;
import javax.tools.*;

class Judge {
    public static void main(String[] args) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String path; (path = in.readLine()) != null; ) {
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            Iterable<? extends JavaFileObject> units = files.getJavaFileObjects(path);
            JavacTask task = (JavacTask) compiler.getTask(null, files, found, List.of("-proc:none"), null, units);
            task.parse();
            boolean bad = found.getDiagnostics().stream().anyMatch(d -> d.getKind() == Diagnostic.Kind.ERROR);
            System.out.println(bad ? 1 : 0);
        }
    }
}
