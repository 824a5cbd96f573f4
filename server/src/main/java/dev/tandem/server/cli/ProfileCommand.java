package dev.tandem.server.cli;

import dev.tandem.server.cli.ProfileFile.Profile;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Gives servers names. */
@Command(
        name = "profile",
        mixinStandardHelpOptions = true,
        description = {"Gives servers names: lists, adds, uses and removes profiles.", ""},
        footer = {
            "",
            "A command calls the server of --server, else of --profile, TANDEM_SERVER, TANDEM_PROFILE, or the profile in use."
        })
final class ProfileCommand extends CommandGroup {

    private static final TextTable<JsonNode> ROWS = new TextTable<JsonNode>()
            .column("PROFILE", JsonCells.text("name"))
            .column("IN USE", each -> each.path("current").asBoolean(false) ? "yes" : "-")
            .column("SERVER", JsonCells.text("server"))
            .column("CA", JsonCells.text("ca"))
            .column("TOKEN FILE", JsonCells.text("tokenFile"));

    private final UnaryOperator<@Nullable String> environment;

    /** For picocli. */
    ProfileCommand() {
        this(System::getenv);
    }

    ProfileCommand(UnaryOperator<@Nullable String> environment) {
        super("list, use, add or remove?");
        this.environment = environment;
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows the profiles.", ""})
    void list(@Mixin ServerOptions server) {
        ProfileFile file = read();
        ObjectNode answer = ApiClient.JSON.createObjectNode();
        ArrayNode profiles = answer.putArray("profiles");
        file.profiles().values().forEach(profile -> {
            ObjectNode each = profiles.addObject();
            each.put("name", profile.name());
            each.put("current", Optional.of(profile.name()).equals(file.current()));
            each.put("server", profile.server());
            Optional.ofNullable(profile.ca()).ifPresent(ca -> each.put("ca", ca));
            Optional.ofNullable(profile.tokenFile()).ifPresent(token -> each.put("tokenFile", token));
        });
        server.print(answer, (it, out) -> ROWS.print(it.path("profiles"), out));
    }

    @Command(
            name = "use",
            mixinStandardHelpOptions = true,
            description = {"Has later commands call the server of a profile, if nothing else names one.", ""})
    void use(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "PROFILE", arity = "0..1") @Nullable String name,
            @Option(names = "--none", description = "use no profile: commands call the server on this machine")
                    boolean none) {
        if (none == (name != null)) {
            throw wrongUsage("Name a profile, or say --none");
        }
        ProfileFile file = read();
        if (name != null) {
            Profile unused = file.get(name, "the command line");
        }
        file.use(name);
        file.write();
        server.out().println(name == null ? "No profile is in use" : "Commands call the server of the profile " + name);
    }

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = {"Adds a profile, or changes one: what is not said stays as it was.", ""})
    void add(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "PROFILE") String name,
            @Option(names = "--token-file", paramLabel = "FILE", description = "the file with the token") @Nullable
                    Path tokenFile) {
        ProfileFile file = read();
        Profile before = file.profiles().get(file.checked(name));
        Map<String, @Nullable String> given = server.given();
        String address = given.get("server") != null
                ? String.valueOf(given.get("server"))
                : before == null ? "" : before.server();
        if (address.isEmpty()) {
            throw wrongUsage("A new profile needs the --server that it is for");
        }
        String ca = given.get("ca");
        if (ca != null) {
            ca = Path.of(ca).toAbsolutePath().toString();
        } else if (before != null) {
            ca = before.ca();
        }
        String token =
                tokenFile != null ? tokenFile.toAbsolutePath().toString() : before == null ? null : before.tokenFile();
        for (String value : new String[] {address, String.valueOf(ca), String.valueOf(token)}) {
            if (value.chars().anyMatch(Character::isISOControl)) {
                throw wrongUsage("A profile may have no line breaks");
            }
        }
        new ApiClient(address, none -> Optional.empty(), ""); // is it a URL?
        file.put(new Profile(name, address, ca, token));
        file.write();
        server.out().println("The profile " + name + " is " + address + ", in " + file.path());
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = {"Removes a profile. Files with tokens stay.", ""})
    void remove(@Mixin ServerOptions server, @Parameters(paramLabel = "PROFILE") String name) {
        ProfileFile file = read();
        Profile unused = file.get(name, "the command line");
        file.remove(name);
        file.write();
        server.out().println("The profile " + name + " is removed");
    }

    private ProfileFile read() {
        return ProfileFile.read(ProfileFile.file(environment));
    }
}
