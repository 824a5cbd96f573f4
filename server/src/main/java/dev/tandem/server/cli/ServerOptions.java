package dev.tandem.server.cli;

import dev.tandem.server.credentials.TokenFiles;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
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
        /** A table with more columns, in which nothing is cut off. */
        wide,
        json,
        yaml
    }

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "where the API is (default: TANDEM_SERVER, else a profile, else http://127.0.0.1:8080)")
    private @Nullable String server;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "a server that has a name, see profile (default: TANDEM_PROFILE, or the one in use)")
    private @Nullable String profile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "certificates to trust, in PEM (default: TANDEM_CA, or those that Java trusts)")
    private @Nullable String ca;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})",
            defaultValue = "table")
    private Format format = Format.table;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec mixee;

    /** Whether the output is for programs. */
    boolean isForPrograms() {
        return format == Format.json || format == Format.yaml;
    }

    boolean isYaml() {
        return format == Format.yaml;
    }

    ApiClient api() {
        Target meant = target();
        return client(meant, address -> token(meant, address));
    }

    private static ApiClient client(Target meant, Function<URI, Optional<String>> token) {
        return new ApiClient(meant.address(), token, meant.ca()).ofProfile(meant.profile());
    }

    /** Returns which server is meant. @throws CliException if that cannot be told */
    Target target() {
        return Target.of(server, profile, ca, System::getenv, ProfileFile::read);
    }

    /** Returns the values of options that are given, by name. */
    Map<String, @Nullable String> given() {
        Map<String, @Nullable String> given = new HashMap<>();
        given.put("server", server);
        given.put("ca", ca);
        return given;
    }

    /** Says where the address comes from. */
    String source() {
        return target().source();
    }

    /** Says where the token comes from. */
    CliToken.Source tokenSource() {
        return CliToken.source(address(), target().tokenFile(), System::getenv);
    }

    private Optional<String> token(Target meant, URI address) {
        Optional<String> token = CliToken.of(address, meant.tokenFile(), System::getenv);
        if (token.isPresent() && "http".equals(address.getScheme()) && !TokenFiles.isLoopback(address)) {
            warn("The token goes to " + address.getHost() + " in clear. Use https if the network is not yours alone");
        }
        return token;
    }

    /** Returns a client that sends this token. */
    ApiClient apiWith(String token) {
        return client(target(), address -> Optional.of(token));
    }

    /** Returns the address of the server. @throws CliException if it is no URL */
    URI address() {
        return apiWith("").server();
    }

    /** Prints an answer as JSON or YAML, or in the command's own form for people. */
    void print(JsonNode answer, BiConsumer<JsonNode, PrintWriter> forPeople) {
        PrintWriter out = out();
        switch (format) {
            case json ->
                out.println(ControlEscapes.of(ApiClient.JSON
                        .writer()
                        .with(SerializationFeature.INDENT_OUTPUT)
                        .writeValueAsString(answer)));
            case yaml -> out.print(YamlText.of(answer));
            default -> forPeople.accept(answer, out);
        }
        out.flush();
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
        PrintWriter out = mixee == null
                ? new PrintWriter(System.out, true, Charset.defaultCharset())
                : mixee.commandLine().getOut();
        return format == Format.wide ? new WideWriter(out) : out;
    }
}
