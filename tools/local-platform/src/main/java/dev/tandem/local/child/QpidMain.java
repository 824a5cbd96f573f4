package dev.tandem.local.child;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.model.SystemConfig;

/**
 * The main class of a Qpid Broker-J process: one AMQP 0-9-1 port on the loopback address, user guest, messages in
 * memory. Arguments: the port, the working folder, the file to write when it is ready.
 */
public final class QpidMain {

    private QpidMain() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, String> context = new HashMap<>();
        context.put("qpid.amqp_port", arguments[0]);
        context.put("qpid.work_dir", arguments[1]);
        Path ready = Path.of(arguments[2]);
        Map<String, Object> attributes = new HashMap<>();
        attributes.put(SystemConfig.TYPE, "Memory");
        attributes.put(
                SystemConfig.INITIAL_CONFIGURATION_LOCATION,
                String.valueOf(QpidMain.class.getResource("/dev/tandem/local/qpid.json")));
        attributes.put(SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, "false");
        attributes.put(SystemConfig.CONTEXT, context);
        SystemLauncher launcher = new SystemLauncher();
        Runtime.getRuntime().addShutdownHook(new Thread(launcher::shutdown, "qpid-stop"));
        launcher.startup(attributes);
        Files.writeString(ready, "ready\n");
    }
}
