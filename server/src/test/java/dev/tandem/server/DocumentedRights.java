package dev.tandem.server;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.ShellCalls;
import java.util.List;
import java.util.stream.Stream;

/** The rights that docs/security.md gives to Tandem's user in Redis. */
final class DocumentedRights {

    static final String PASSWORD = "PASSWORD";

    private DocumentedRights() {}

    /** Returns the words behind {@code ACL SETUSER tandem} of the line for all versions of Redis. */
    static List<String> basic() {
        return lines().findFirst().orElseThrow();
    }

    /** Returns the words of the line for the nodes of a Redis Cluster. */
    static List<String> ofClusters() {
        return lines().filter(words -> words.contains("+cluster|slots"))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the words of all lines: for later versions and clusters too. */
    static List<String> all() {
        return lines().flatMap(List::stream).toList();
    }

    private static Stream<List<String>> lines() {
        return ShellCalls.in(DocumentedBlocks.in(DocumentedBlocks.root().resolve("docs/security.md"))).stream()
                .filter(call -> call.program().equals("redis-cli"))
                .map(call -> call.words()
                        .subList(
                                call.words().indexOf("tandem") + 1, call.words().size()));
    }
}
