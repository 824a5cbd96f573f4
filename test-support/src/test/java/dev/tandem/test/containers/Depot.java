package dev.tandem.test.containers;

import dev.tandem.api.Key;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskHandler;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskType;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application with a queue of each broker. Its settings lead nowhere. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Depot {

    private final Set<String> unloaded = ConcurrentHashMap.newKeySet();

    Set<String> unloaded() {
        return unloaded;
    }

    @TaskHandler(queue = "ships", type = "unload")
    void unloadFromKafka(String load) {
        unloaded.add(load);
    }

    @TaskHandler(queue = "trucks", type = "unload")
    void unloadFromRabbit(String load) {
        unloaded.add(load);
    }

    @TaskGateway(queue = "ships")
    interface FromKafka {

        @TaskType("unload")
        TaskRef<Void> unload(@Key String customer, String load);
    }

    @TaskGateway(queue = "trucks")
    interface FromRabbit {

        @TaskType("unload")
        TaskRef<Void> unload(@Key String customer, String load);
    }
}
