package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An installed PostgreSQL, started on 127.0.0.1 with an empty database and the superuser {@code postgres}, who needs no
 * password. It keeps what it has committed when it is killed.
 */
public final class LocalPostgres extends AbstractBroker {

    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
    private static final Duration INIT_LIMIT = Duration.ofMinutes(1);

    /** The account that PostgreSQL runs as where this JVM is root's, which PostgreSQL refuses. */
    private static final String ACCOUNT = "nobody";

    private final String product;

    private LocalPostgres(BrokerLocation location, PostgresServer server, String product) {
        super(location, server);
        this.product = product;
        begin();
    }

    /**
     * Starts a PostgreSQL and waits until it answers.
     *
     * @throws MissingBrokerException when none is installed
     * @throws LocalException when it does not start
     */
    public static LocalPostgres create(String... settings) {
        Path programs = programs();
        BrokerLocation location = BrokerLocation.create("postgres", 0, null);
        List<String> account = account(location);
        initialise(programs, location, account);
        List<String> command = new ArrayList<>(account);
        command.addAll(List.of(
                programs.resolve("postgres").toString(),
                "-D",
                location.data().resolve("db").toString(),
                "-p",
                Integer.toString(location.port()),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories="));
        for (String setting : settings) {
            command.addAll(List.of("-c", setting));
        }
        LocalProcess process = location.build(LocalProcess.program("postgres-" + location.port(), command));
        return new LocalPostgres(
                location, new PostgresServer(process, programs, location.port()), "PostgreSQL in " + programs);
    }

    private static Path programs() {
        Optional<Path> onPath = InstalledPrograms.find("initdb").map(Path::getParent);
        return onPath.or(LocalPostgres::debianPrograms)
                .orElseThrow(() -> new MissingBrokerException(
                        "There is no PostgreSQL on this machine: apt-get install postgresql"));
    }

    // Debian keeps the programs of each version in a folder of their own, which is not on the PATH.
    private static Optional<Path> debianPrograms() {
        if (!Files.isDirectory(DEBIAN)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(DEBIAN)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(folder -> Files.isExecutable(folder.resolve("initdb")))
                    .max(Path::compareTo);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static List<String> account(BrokerLocation location) {
        if (!"root".equals(System.getProperty("user.name"))) {
            return List.of();
        }
        try {
            // The other account must be able to pass through the folders of this JVM and to write into the data's.
            Path temporary = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
            for (Path each = location.home(); each != null && !each.equals(temporary); each = each.getParent()) {
                if (Files.getOwner(each).getName().equals("root")) {
                    Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
                }
            }
            Files.setOwner(
                    location.data(),
                    location.data()
                            .getFileSystem()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByName(ACCOUNT));
        } catch (IOException e) {
            throw new LocalException("The folder of PostgreSQL cannot be given to '" + ACCOUNT + "': " + e, e);
        }
        return List.of("setpriv", "--reuid=" + ACCOUNT, "--regid=nogroup", "--clear-groups");
    }

    private static void initialise(Path programs, BrokerLocation location, List<String> account) {
        List<String> command = new ArrayList<>(account);
        command.addAll(List.of(
                programs.resolve("initdb").toString(),
                "-D",
                location.data().resolve("db").toString(),
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync"));
        try (LocalProcess initdb = location.build(LocalProcess.program("initdb-" + location.port(), command))
                .start()) {
            if (!initdb.awaitExit(INIT_LIMIT) || initdb.exitStatus() != 0) {
                throw new LocalException("initdb failed. " + initdb.logTail());
            }
        }
    }

    @Override
    public String product() {
        return product;
    }

    /** {@code jdbc:postgresql://127.0.0.1:<port>/postgres?user=postgres}. */
    @Override
    public String address() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?user=postgres";
    }
}
