package dev.tandem.server.cli;

import dev.tandem.server.credentials.TokenFiles;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;

/** The options of every command that calls a server: its address, and the form of the output. */
final class ServerOptions {

    enum Format {
        table,
        json
    }

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "where the API is (default: TANDEM_SERVER, or http://127.0.0.1:8080)",
            defaultValue = "${env:TANDEM_SERVER:-http://127.0.0.1:8080}")
    private String server = "";

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "certificates to trust, in PEM (default: TANDEM_CA, or those that Java trusts)",
            defaultValue = "${env:TANDEM_CA:-}")
    private String ca = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})",
            defaultValue = "table")
    private Format format = Format.table;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec mixee;

    boolean isJson() {
        return format == Format.json;
    }

    ApiClient api() {
        return new ApiClient(server, this::token, ca);
    }

    private Optional<String> token(URI address) {
        Optional<String> token = CliToken.of(address, System::getenv);
        if (token.isPresent() && "http".equals(address.getScheme()) && !TokenFiles.isLoopback(address)) {
            warn("The token goes to " + address.getHost() + " in clear. Use https if the network is not yours alone");
        }
        return token;
    }

    /** Returns a client that sends this token. */
    ApiClient apiWith(String token) {
        return new ApiClient(server, address -> Optional.of(token), ca);
    }

    /** Returns the address of the server. @throws CliException if it is no URL */
    URI address() {
        return apiWith("").server();
    }

    /** Prints an answer as JSON, or in the command's own form for people. */
    void print(JsonNode answer, BiConsumer<JsonNode, PrintWriter> forPeople) {
        PrintWriter out = out();
        if (format == Format.json) {
            out.println(ApiClient.JSON
                    .writer()
                    .with(SerializationFeature.INDENT_OUTPUT)
                    .writeValueAsString(answer));
            out.flush();
        } else {
            forPeople.accept(answer, out);
            out.flush();
        }
    }

    /** Prints a line for people that is no part of the answer. */
    void warn(String line) {
        if (mixee != null) {
            mixee.commandLine().getErr().println(line);
        }
    }

    /** Shows a person how far a command is, in place of what was shown before; empty takes it away. */
    void progress(String line) {
        if (mixee != null) {
            PrintWriter err = mixee.commandLine().getErr();
            err.print("\r\033[K" + line);
            err.flush();
        }
    }

    PrintWriter out() {
        return mixee == null
                ? new PrintWriter(System.out, true, Charset.defaultCharset())
                : mixee.commandLine().getOut();
    }
}
