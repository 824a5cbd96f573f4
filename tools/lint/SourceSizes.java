import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds files of Java and methods that are too long, with the parser of the compiler. Argument: the folder of the
 * project. Run from its source, so that no module has to be built first.
 */
final class SourceSizes extends TreeScanner<Void, CompilationUnitTree> {

    private static final int FILE = 400;

    /** Counts every line from the opening brace to the closing one, blank lines and comments too. */
    private static final int METHOD = 60;

    private final SourcePositions positions;
    private final List<String> problems = new ArrayList<>();

    private SourceSizes(SourcePositions positions) {
        this.positions = positions;
    }

    public static void main(String[] arguments) throws IOException {
        List<Path> files = files(Path.of(arguments[0]));
        if (files.isEmpty()) {
            System.err.println("No sources of Java below " + arguments[0]);
            System.exit(2);
        }
        List<String> problems = problems(files);
        problems.forEach(System.err::println);
        System.exit(problems.isEmpty() ? 0 : 1);
    }

    /** Returns the sources of all modules, main and test. Modules are one or two folders below the project. */
    private static List<Path> files(Path project) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path folder : children(project)) {
            addModule(folder, files);
            for (Path inner : children(folder)) {
                addModule(inner, files);
            }
        }
        return files;
    }

    private static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(Files::isDirectory)
                    .filter(child -> !child.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    private static void addModule(Path module, List<Path> files) throws IOException {
        for (String sources : List.of("src/main/java", "src/test/java")) {
            if (Files.isDirectory(module.resolve(sources))) {
                try (Stream<Path> found = Files.walk(module.resolve(sources))) {
                    found.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
                }
            }
        }
    }

    private static List<String> problems(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(diagnostics, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, diagnostics, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            SourceSizes sizes = new SourceSizes(Trees.instance(task).getSourcePositions());
            for (CompilationUnitTree file : task.parse()) {
                sizes.check(file);
            }
            for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics.getDiagnostics()) {
                sizes.problems.add(diagnostic.toString());
            }
            return sizes.problems;
        }
    }

    private void check(CompilationUnitTree file) throws IOException {
        long lines = file.getSourceFile().getCharContent(true).toString().lines().count();
        if (lines > FILE) {
            problems.add(file.getSourceFile().getName() + ": the file has " + lines + " lines, and may have " + FILE);
        }
        scan(file, file);
    }

    /** Visits the methods and constructors of nested and anonymous classes too. */
    @Override
    public Void visitMethod(MethodTree method, CompilationUnitTree file) {
        BlockTree body = method.getBody();
        if (body != null) {
            LineMap map = file.getLineMap();
            long first = map.getLineNumber(positions.getStartPosition(file, body));
            long lines = map.getLineNumber(positions.getEndPosition(file, body) - 1) - first + 1;
            if (lines > METHOD) {
                problems.add(file.getSourceFile().getName() + ":" + first + ": the method " + method.getName()
                        + " has " + lines + " lines, and may have " + METHOD);
            }
        }
        return super.visitMethod(method, file);
    }
}
