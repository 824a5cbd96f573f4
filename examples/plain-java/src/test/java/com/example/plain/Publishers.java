package com.example.plain;

import dev.tandem.testkit.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** The publishers in other languages, with what they need. Where it is missing the test is skipped, or fails in CI. */
final class Publishers {

    private static final Path PYTHON = Path.of("../python").toAbsolutePath().normalize();
    private static final Path NODE = Path.of("../node").toAbsolutePath().normalize();
    private static final Path INSTALLED = Path.of("target/node").toAbsolutePath();

    private Publishers() {}

    /** Returns the call of a program, by a Python that has its libraries. Debian's has those of Debian's packages. */
    static List<String> python(String program) {
        Programs.require("python3");
        String python = Stream.of("python3", "/usr/bin/python3")
                .filter(each -> Files.isExecutable(Path.of(each)) || !each.startsWith("/"))
                .filter(each -> Programs.run(List.of(each, "-c", "import confluent_kafka, pika"), "")
                                .status()
                        == 0)
                .findFirst()
                .orElseThrow(() -> missing("python3 has no confluent_kafka or no pika:"
                        + " apt-get install python3-confluent-kafka python3-pika"));
        return List.of(python, PYTHON.resolve(program).toString());
    }

    /** Returns the call of a program, with its libraries beside it. */
    static List<String> node(String program) throws IOException {
        Programs.require("node");
        Programs.require("npm");
        install();
        return List.of("node", INSTALLED.resolve(program).toString());
    }

    private static synchronized void install() throws IOException {
        Files.createDirectories(INSTALLED);
        try (Stream<Path> files = Files.list(NODE)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, INSTALLED.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Path lock = NODE.resolve("package-lock.json");
        Path installed = INSTALLED.resolve("installed.json");
        if (Files.exists(installed) && Files.mismatch(lock, installed) == -1) {
            return;
        }
        Programs.Result result = Programs.run(
                List.of("npm", "ci", "--prefix", INSTALLED.toString(), "--ignore-scripts", "--no-audit", "--no-fund"),
                "");
        if (result.status() != 0) {
            throw missing("npm cannot install the libraries of examples/node: " + result.output());
        }
        Files.copy(lock, installed, StandardCopyOption.REPLACE_EXISTING);
    }

    private static RuntimeException missing(String what) {
        if (Boolean.parseBoolean(System.getenv("CI"))) {
            throw new AssertionError("With CI=true no test may be skipped, but " + what);
        }
        return new TestAbortedException(what);
    }
}
