package dev.tandem.local;

import dev.tandem.kit.FileTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Apache Qpid Broker-J from its jars. It keeps messages in memory only, so they do not survive a restart. */
final class QpidServer implements BrokerServer {

    private static final String MAIN = "dev.tandem.local.child.QpidMain";

    private final LocalProcess process;
    private final Path ready;

    QpidServer(BrokerLocation location, boolean fullSpeed) {
        ready = location.home().resolve("ready");
        process = location.build(LocalProcess.java(
                "qpid-" + location.port(),
                BrokerJars.classPath(),
                BrokerJars.jvmOptions(fullSpeed, "512m", "-XX:MaxDirectMemorySize=512m"),
                MAIN,
                List.of(Integer.toString(location.port()), location.data().toString(), ready.toString())));
    }

    @Override
    public BrokerRuntime runtime() {
        return process;
    }

    @Override
    public void prepare() {
        FileTree.delete(ready);
    }

    // The port opens before the virtual host does, so an answer on the port is not enough.
    @Override
    public boolean ready() {
        return Files.exists(ready);
    }

    @Override
    public String origin() {
        return "embedded";
    }
}
