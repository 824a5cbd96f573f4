package dev.tandem.ordering;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * Loads the core and its simulation afresh, with the changed classes of a mutant in place of the right ones. All other
 * classes are shared with the tests.
 */
final class MutantClassLoader extends ClassLoader {

    private static final String CORE = "dev.tandem.ordering.";

    private final Map<String, byte[]> changed;

    /** @param changed classes by name */
    MutantClassLoader(Map<String, byte[]> changed) {
        super(MutantClassLoader.class.getClassLoader());
        this.changed = changed;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(CORE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = changed.containsKey(name) ? changed.get(name) : original(name);
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] original(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
