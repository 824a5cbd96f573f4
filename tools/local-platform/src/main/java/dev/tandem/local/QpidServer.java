package dev.tandem.local;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Apache Qpid Broker-J from its jars. Its messages live in memory: they do not survive a restart. */
final class QpidServer implements Server {

    private static final String MAIN = "dev.tandem.local.child.QpidMain";

    private final LocalProcess runner;
    private final Path ready;

    QpidServer(Place place, boolean fullSpeed) {
        ready = place.home().resolve("ready");
        runner = place.build(LocalProcess.java(
                "qpid-" + place.port(),
                BrokerJars.classPath(),
                BrokerJars.jvmOptions(fullSpeed, "-Xmx512m", "-XX:MaxDirectMemorySize=512m"),
                MAIN,
                List.of(Integer.toString(place.port()), place.data().toString(), ready.toString())));
    }

    @Override
    public Runner runner() {
        return runner;
    }

    @Override
    public void prepare() {
        Folders.delete(ready);
    }

    // Its port opens before its virtual host does, so an answer there is not enough.
    @Override
    public boolean ready() {
        return Files.exists(ready);
    }

    @Override
    public String origin() {
        return "embedded";
    }
}
