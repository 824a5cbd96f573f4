package dev.tandem.local;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A MySQL 8 whose {@code mysqld} the variable {@code TANDEM_LOCAL_MYSQL} names, started on 127.0.0.1 without any database. Its
 * user {@code root} needs no password. It keeps what it has committed when it is killed.
 */
public final class LocalMySql extends AbstractBroker {

    /** The variable with the path of the program. One on the PATH may be MariaDB's. */
    public static final String PROGRAM = "TANDEM_LOCAL_MYSQL";

    private static final Duration INIT_LIMIT = Duration.ofMinutes(2);

    private final String product;

    private LocalMySql(BrokerLocation location, MySqlProtocolServer server, String product) {
        super(location, server);
        this.product = product;
        begin();
    }

    /**
     * Starts a MySQL and waits until it answers.
     *
     * @throws MissingBrokerException when the variable names none
     * @throws LocalException when it does not start
     */
    public static LocalMySql create() {
        Path program = program();
        BrokerLocation location = BrokerLocation.create("mysql", 0, null);
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--no-defaults",
                "--datadir=" + location.data().resolve("db")));
        if ("root".equals(System.getProperty("user.name"))) {
            command.add("--user=root");
        }
        initialise(command, location);
        command.addAll(List.of(
                "--port=" + location.port(),
                "--bind-address=127.0.0.1",
                "--mysqlx=OFF",
                "--socket=" + location.data().resolve("socket"),
                "--pid-file=" + location.data().resolve("pid"),
                "--disable-log-bin",
                "--performance-schema=OFF",
                "--innodb-buffer-pool-size=64M"));
        LocalProcess process = location.build(LocalProcess.program("mysql-" + location.port(), command));
        return new LocalMySql(
                location,
                new MySqlProtocolServer(process, program, location.port()),
                "MySQL in " + program.getParent());
    }

    private static Path program() {
        String named = System.getenv(PROGRAM);
        if (named == null || !Files.isExecutable(Path.of(named))) {
            throw new MissingBrokerException("There is no MySQL 8: name its mysqld in the variable " + PROGRAM);
        }
        return Path.of(named);
    }

    private static void initialise(List<String> command, BrokerLocation location) {
        List<String> once = new ArrayList<>(command);
        once.add("--initialize-insecure");
        LocalProcess init = location.build(LocalProcess.program("mysql-init-" + location.port(), once));
        try (init) {
            init.start();
            if (!init.awaitExit(INIT_LIMIT) || init.exitStatus() != 0) {
                throw new LocalException("MySQL's tables could not be made in " + location.data());
            }
        }
    }

    @Override
    public String product() {
        return product;
    }

    /** {@code jdbc:mysql://127.0.0.1:<port>/?user=root}. */
    @Override
    public String address() {
        return address("");
    }

    /** Returns the address of a database. */
    public String address(String database) {
        return "jdbc:mysql://127.0.0.1:" + port() + "/" + database + "?user=root";
    }
}
