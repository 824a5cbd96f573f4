package dev.tandem.local;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Apache Qpid Broker-J from its jars. Its messages live in memory: they do not survive a restart. */
final class QpidServer implements AmqpServer {

    private static final String MAIN = "dev.tandem.local.child.QpidMain";

    private final LocalProcess broker;
    private final Path ready;

    QpidServer(Place place) {
        ready = place.home().resolve("ready").toAbsolutePath();
        List<String> options = List.of(
                "-Xmx512m",
                "-XX:MaxDirectMemorySize=512m",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Dlogback.configurationFile=dev/tandem/local/brokers-logback.xml");
        broker = place.build(LocalProcess.java(
                "qpid-" + place.port(),
                BrokerJars.classPath(),
                options,
                MAIN,
                List.of(
                        Integer.toString(place.port()),
                        place.data().toAbsolutePath().toString(),
                        ready.toString())));
    }

    @Override
    public LocalProcess broker() {
        return broker;
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
    public String name() {
        return "Qpid Broker-J";
    }

    @Override
    public String origin() {
        return "embedded";
    }
}
