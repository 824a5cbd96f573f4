package dev.tandem.ordering;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles changed sources of the core in memory. */
final class MutantCompiler {

    private MutantCompiler() {}

    /**
     * Compiles sources against the class path of the tests.
     *
     * @param sources by file
     * @return the classes by name
     */
    static Map<String, byte[]> compile(String mutant, Map<Path, String> sources) throws IOException {
        JavaCompiler compiler =
                Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "The tests need a JDK, not a JRE");
        List<String> options =
                List.of("-proc:none", "-nowarn", "-implicit:none", "-classpath", System.getProperty("java.class.path"));
        List<Source> units = sources.entrySet().stream()
                .map(entry -> new Source(entry.getKey(), entry.getValue()))
                .toList();
        StringWriter errors = new StringWriter();
        try (MemoryFiles files = new MemoryFiles(compiler.getStandardFileManager(null, null, null))) {
            if (!compiler.getTask(errors, files, null, options, null, units).call()) {
                throw new IllegalStateException("The mutant " + mutant + " does not compile: " + errors);
            }
            Map<String, byte[]> classes = new HashMap<>();
            files.classes.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
            return classes;
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(Path file, String text) {
            super(file.toAbsolutePath().toUri(), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps the compiler's output. */
    private static final class MemoryFiles extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        MemoryFiles(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/')), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(className, bytes);
                    return bytes;
                }
            };
        }
    }
}
