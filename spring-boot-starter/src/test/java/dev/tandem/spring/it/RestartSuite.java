package dev.tandem.spring.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.spring.restart.Depot;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An application that is loaded again in the same process, with new classes, as devtools does after each change. */
abstract class RestartSuite {

    private static final String APPLICATION = Depot.class.getPackageName() + ".";

    /** The beginnings of the names of threads that belong to the JDK and to the tests. */
    private static final List<String> OF_OTHERS = List.of(
            "CompletableFutureDelayScheduler", "Common-Cleaner", "process reaper", "awaitility", "ForkJoinPool-");

    private final String queue = UniqueNames.fresh("depot");

    /** Returns where the broker is, as a setting. */
    abstract String broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    /** Loads the application's classes itself, and leaves all others to its parent. */
    private static final class RestartLoader extends ClassLoader {

        RestartLoader() {
            super(Depot.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(APPLICATION)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void aRestartRunsTheNewClassesAndLeavesNothingOfTheOldOnes() throws Exception {
        // The brokers' threads begin when they are first asked for.
        assertThat(List.of(broker(), Brokers.redis().uri())).isNotEmpty();
        Set<Thread> before = Thread.getAllStackTraces().keySet();

        WeakReference<ClassLoader> first = runsTasksOfItsOwnClasses("o-1");
        awaitOnly(before);
        WeakReference<ClassLoader> second = runsTasksOfItsOwnClasses("o-2");
        awaitOnly(before);
        awaitCollected(first);
        awaitCollected(second);
    }

    /** Spring keeps some classes in caches of soft references, which the JVM of these tests ends at once. */
    private static void awaitCollected(WeakReference<ClassLoader> loader) {
        await().atMost(PATIENCE).until(() -> {
            System.gc();
            return loader.refersTo(null);
        });
    }

    private static void awaitOnly(Set<Thread> before) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Set<Thread> more = new HashSet<>(Thread.getAllStackTraces().keySet());
            more.removeAll(before);
            more.removeIf(each -> OF_OTHERS.stream().anyMatch(each.getName()::startsWith));
            assertThat(more).isEmpty();
        });
    }

    /** @return the loader of its classes, which nothing should keep any more */
    private WeakReference<ClassLoader> runsTasksOfItsOwnClasses(String order) throws Exception {
        RestartLoader loader = new RestartLoader();
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try (ConfigurableApplicationContext context = start(loader.loadClass(Depot.class.getName()))) {
            Object sender = context.getBean(loader.loadClass(APPLICATION + "Sender"));
            submit(sender, order);
            await().atMost(PATIENCE).until(() -> last(sender) != null);

            assertThat(last(sender)).hasToString("Parcel[order=" + order + "]");
            assertThat(classOf(last(sender)).getClassLoader()).isSameAs(loader);
            Object gateway = context.getBean(loader.loadClass(APPLICATION + "DepotTasks"));
            assertThat(gateway.getClass().getClassLoader()).isSameAs(loader);
        } finally {
            thread.setContextClassLoader(own);
        }
        return new WeakReference<>(loader);
    }

    private ConfigurableApplicationContext start(Class<?> application) {
        String settings = "tandem.queues." + queue + ".";
        return new SpringApplicationBuilder(application)
                .properties(
                        broker(),
                        "tandem.redis.uri=" + Brokers.redis().uri(),
                        "depot.queue=" + queue,
                        settings + "source=" + source(),
                        settings + "ordering=key",
                        settings + "partitions=2")
                .run();
    }

    @SuppressWarnings("unchecked")
    private static void submit(Object sender, String order) {
        ((Consumer<String>) sender).accept(order);
    }

    private static @Nullable Object last(Object sender) {
        return ((Supplier<?>) sender).get();
    }

    private static Class<?> classOf(@Nullable Object object) {
        assertThat(object).isNotNull();
        return object == null ? Void.class : object.getClass();
    }
}
