package dev.tandem.server.cli;

import dev.tandem.server.credentials.TokenFiles;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Keeps a token for a server, for all later commands of this user. */
@Command(
        name = "login",
        mixinStandardHelpOptions = true,
        description = {
            "Asks for a token, or reads it from the input, and keeps it for later commands to this server.",
            "A server that runs on this machine, as this user, has done that already with its first token.",
            "With --browser it prints a link instead that logs you in once, with the token of commands.",
            ""
        },
        footer = {"", "Commands send TANDEM_TOKEN, else the token in TANDEM_TOKEN_FILE, else the one that is kept."})
final class LoginCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(names = "--browser", description = "only print a link that logs you in, in a browser, once within 60 s")
    private boolean browser;

    private final UnaryOperator<@Nullable String> environment;
    private final InputStream in;

    /** For picocli. */
    LoginCommand() {
        this(System::getenv, System.in);
    }

    LoginCommand(UnaryOperator<@Nullable String> environment, InputStream in) {
        this.environment = environment;
        this.in = in;
    }

    @Override
    public void run() {
        if (browser) {
            JsonNode link = server.api().post(ApiClient.path("login-links"));
            server.print(
                    link,
                    (answer, out) -> out.println(
                            server.address().resolve(answer.path("path").asString())));
            return;
        }
        String token = ask().strip();
        CliToken.checked("The input", token);
        JsonNode caller = server.apiWith(token).get(ApiClient.path("caller"));
        Path ofProfile = server.target().tokenFile();
        Path file = ofProfile != null ? ofProfile : CliToken.file(server.address(), environment);
        try {
            TokenFiles.write(file, token);
        } catch (IOException e) {
            throw new CliException(CliException.REFUSED, "The token cannot be written to " + file + ": " + e);
        }
        server.print(
                caller,
                (answer, out) -> out.println("Commands to " + server.address() + " are those of "
                        + answer.path("name").asString() + ", role "
                        + answer.path("role").asString() + ". The token is in " + file));
    }

    private String ask() {
        Console console = in == System.in && ConfirmOptions.hasTerminal() ? System.console() : null;
        if (console != null) {
            char[] typed = console.readPassword("Token: ");
            return typed == null ? "" : new String(typed);
        }
        try {
            String line = new BufferedReader(new InputStreamReader(in, Charset.defaultCharset())).readLine();
            return line == null ? "" : line;
        } catch (IOException e) {
            throw new CliException(CliException.USAGE, "The token cannot be read from the input: " + e.getMessage());
        }
    }
}
