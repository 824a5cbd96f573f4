package dev.tandem.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles and loads Java from the documentation, with everything on the class path of the tests. */
public final class JavaExample {

    private JavaExample() {}

    /**
     * Compiles a class, which may use those that are in the folder already.
     *
     * @param name the full name of the class, such as {@code shop.ShopApplication}
     * @param classes the folder into which it is compiled
     */
    public static void compile(String name, String code, Path classes) {
        JavaFileObject source =
                new SimpleJavaFileObject(
                        URI.create("string:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return code;
                    }
                };
        StringWriter messages = new StringWriter();
        List<String> options = List.of(
                "-d",
                classes.toString(),
                "-classpath",
                classes + File.pathSeparator + System.getProperty("java.class.path"),
                "-proc:none");
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(messages, null, null, options, null, List.of(source))
                .call();
        assertThat(compiled).as(messages + "\n" + code).isTrue();
    }

    /** Returns a loader of the classes that were compiled into this folder. */
    public static URLClassLoader loader(Path classes) {
        try {
            return new URLClassLoader(new URL[] {classes.toUri().toURL()}, JavaExample.class.getClassLoader());
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
