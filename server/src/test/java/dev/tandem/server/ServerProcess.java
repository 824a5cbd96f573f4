package dev.tandem.server;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Servers in processes of their own, to be killed. */
final class ServerProcess {

    private ServerProcess() {}

    /** Starts one, without a login. @param name that its log begins with */
    static LocalProcess start(String name, Map<String, String> settings) throws IOException {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putIfAbsent("tandem.api.login", "none");
        Path logs = Files.createDirectories(Path.of(System.getProperty("tandem.local.dir", "target/brokers")));
        return LocalProcess.java(
                        "server",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        TandemServer.class.getName(),
                        all.entrySet().stream()
                                .map(each -> "--" + each.getKey() + "=" + each.getValue())
                                .toList())
                .log(logs.resolve(UniqueNames.fresh(name) + ".log"))
                .disposable()
                .build()
                .start();
    }
}
