package dev.tandem.server.cli;

import dev.tandem.server.credentials.TokenFiles;
import dev.tandem.server.findings.Finding;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Checks what only this machine sees: which server is meant, the token for it, whether it is reached, and the clock. */
final class LocalChecks {

    private static final String AREA = "client";
    private static final String MACHINE = "this machine";
    private static final Duration APART = Duration.ofSeconds(1);
    private static final Duration FAR_APART = Duration.ofSeconds(10);

    private final ServerOptions server;

    LocalChecks(ServerOptions server) {
        this.server = server;
    }

    /** Returns what can be said before the server is asked. @throws CliException if no address, or no readable token, is given */
    List<Finding> beforehand() {
        URI address = server.address();
        CliToken.Source source = server.tokenSource();
        Path file = source.file();
        List<Finding> findings = new ArrayList<>();
        if (file == null) {
            findings.add(Finding.ok(AREA, null, "token", "The token is that of " + source.text()));
        } else if (!Files.exists(file)) {
            findings.add(Finding.warning(
                    AREA,
                    file.toString(),
                    "token",
                    "There is no token for " + address + " in this file",
                    "./tandem login --server " + address + ", unless the server asks for none"));
        } else {
            findings.addAll(token(file));
        }
        if ("http".equals(address.getScheme()) && !TokenFiles.isLoopback(address)) {
            findings.add(Finding.warning(
                    AREA,
                    address.toString(),
                    "tls",
                    "The token and all answers go over the network in clear",
                    "Use https (docs/security.md), if the network is not yours alone"));
        }
        return findings;
    }

    static List<Finding> token(Path file) {
        List<Finding> findings = new ArrayList<>();
        try {
            findings.add(
                    TokenFiles.read(file).isPresent()
                            ? Finding.ok(AREA, file.toString(), "token", "Only you can read the token")
                            : Finding.warning(
                                    AREA,
                                    file.toString(),
                                    "token",
                                    "The file with the token is empty",
                                    "./tandem login"));
        } catch (IOException e) {
            findings.add(Finding.problem(
                    AREA,
                    file.toString(),
                    "token",
                    "The token cannot be used: " + e.getMessage(),
                    "chmod 600 " + file + ", then ./tandem login with a new token if others may have read it"));
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && TokenFiles.mayOthersWrite(folder)) {
            findings.add(Finding.problem(
                    AREA,
                    folder.toString(),
                    "token-folder",
                    "Others may put another token into this folder",
                    "chmod 700 " + folder));
        }
        return findings;
    }

    Finding reached() {
        return Finding.ok(
                AREA,
                server.address().toString(),
                "server-reached",
                "The server answers (address from " + server.source() + ")");
    }

    /** Says why the server did not answer with its own findings. */
    Finding failed(CliException failure) {
        String source = server.source();
        String text = String.valueOf(failure.getMessage()) + " (address from " + source + ")";
        return failure.status() == CliException.UNREACHABLE
                ? Finding.problem(
                        AREA,
                        null,
                        "server-reached",
                        text,
                        "See that it runs, that " + source + " is right, and that no firewall is between; the server's"
                                + " log and its /actuator/health say more")
                : Finding.problem(
                        AREA,
                        null,
                        "server-asked",
                        text,
                        "Log in with ./tandem login, or ask a server of this version");
    }

    /** Compares the server's clock, as it was when it answered, with this machine's. */
    static Finding clock(Instant server, Instant received) {
        Duration ahead = Duration.between(received, server);
        Duration apart = ahead.abs();
        String text = "The server's clock is " + apart.toMillis() + " ms "
                + (ahead.isNegative() ? "behind" : "ahead of") + " this machine's";
        if (apart.compareTo(APART) < 0) {
            return Finding.ok("clock", MACHINE, "clock", text);
        }
        String remedy = "Keep the clocks of all machines in step (NTP), or give times as +5m and not as instants";
        return apart.compareTo(FAR_APART) < 0
                ? Finding.warning("clock", MACHINE, "clock", text, remedy)
                : Finding.problem("clock", MACHINE, "clock", text, remedy);
    }
}
