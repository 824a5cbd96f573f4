package dev.tandem.local;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An installed MariaDB, started on 127.0.0.1 without any database, whose users need no password. It keeps what it has
 * committed when it is killed.
 */
public final class LocalMariaDb extends AbstractBroker {

    private static final Path DEBIAN = Path.of("/usr/sbin/mariadbd");

    private final String product;

    private LocalMariaDb(BrokerLocation location, MySqlProtocolServer server, String product) {
        super(location, server);
        this.product = product;
        begin();
    }

    /**
     * Starts a MariaDB and waits until it answers.
     *
     * @throws MissingBrokerException when none is installed
     * @throws LocalException when it does not start
     */
    public static LocalMariaDb create() {
        Path program = program();
        BrokerLocation location = BrokerLocation.create("mariadb", 0, null);
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--no-defaults",
                "--datadir=" + location.data(),
                "--port=" + location.port(),
                "--bind-address=127.0.0.1",
                "--socket=" + location.data().resolve("socket"),
                "--pid-file=" + location.data().resolve("pid"),
                // So it needs no tables of its own, which take seconds to make.
                "--skip-grant-tables",
                "--skip-name-resolve",
                "--character-set-server=utf8mb4",
                "--innodb-buffer-pool-size=64M"));
        if ("root".equals(System.getProperty("user.name"))) {
            command.add("--user=root");
        }
        LocalProcess process = location.build(LocalProcess.program("mariadb-" + location.port(), command));
        return new LocalMariaDb(
                location,
                new MySqlProtocolServer(process, program, location.port()),
                "MariaDB in " + program.getParent());
    }

    private static Path program() {
        Optional<Path> onPath = InstalledPrograms.find("mariadbd");
        return onPath.or(() -> Optional.of(DEBIAN).filter(each -> each.toFile().canExecute()))
                .orElseThrow(() -> new MissingBrokerException(
                        "There is no MariaDB on this machine: apt-get install mariadb-server-core"));
    }

    @Override
    public String product() {
        return product;
    }

    /** {@code jdbc:mariadb://127.0.0.1:<port>/?user=root}. */
    @Override
    public String address() {
        return address("");
    }

    /** Returns the address of a database. */
    public String address(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/" + database + "?user=root";
    }
}
