package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles Java from the documentation, with everything on the class path of the tests. */
public final class JavaExample {

    private JavaExample() {}

    /** Compiles a class of the unnamed package, and loads it. */
    public static Class<?> compile(String name, String code, Path classes) throws Exception {
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return code;
                    }
                };
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none");
        boolean compiled = compiler.getTask(messages, null, null, options, null, List.of(source))
                .call();
        assertThat(compiled).as(messages + "\n" + code).isTrue();
        URL[] places = {classes.toUri().toURL()};
        return new URLClassLoader(places, JavaExample.class.getClassLoader()).loadClass(name);
    }
}
