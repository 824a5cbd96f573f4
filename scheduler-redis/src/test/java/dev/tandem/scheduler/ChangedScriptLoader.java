package dev.tandem.scheduler;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Loads the store and its tests afresh, with one text of a script replaced. All other classes are shared with the tests. */
final class ChangedScriptLoader extends ClassLoader {

    private static final String STORE = "dev.tandem.scheduler.";

    private final String path;
    private final byte[] changed;

    /** @throws IllegalStateException if the script does not have the text once */
    ChangedScriptLoader(String script, String text, String by) {
        super(ChangedScriptLoader.class.getClassLoader());
        this.path = STORE.replace('.', '/') + script;
        String source =
                new String(Objects.requireNonNull(bytes(path), () -> path + " is missing"), StandardCharsets.UTF_8);
        int at = source.indexOf(text);
        if (at < 0 || source.indexOf(text, at + 1) >= 0) {
            throw new IllegalStateException("'" + text + "' is not there once in " + script
                    + " any more: have the mutant break the same rule where that is kept now");
        }
        this.changed = source.replace(text, by).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(STORE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] its = original(name);
            return defineClass(name, its, 0, its.length);
        }
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        return name.equals(path) ? new ByteArrayInputStream(changed) : super.getResourceAsStream(name);
    }

    private byte[] original(String name) throws ClassNotFoundException {
        byte[] bytes = bytes(name.replace('.', '/') + ".class");
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return bytes;
    }

    private static byte @Nullable [] bytes(String resource) {
        try (InputStream in = ChangedScriptLoader.class.getClassLoader().getResourceAsStream(resource)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
