package dev.tandem.server.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.UniqueNames;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;

/** The rights that docs/archive.md gives to the archive's user are all that it needs. */
class ArchiveRightsIT {

    private final String name = UniqueNames.fresh("archivist").replace('-', '_');
    private final String schema = name + "_archive";

    @Test
    void documentedRightsSuffice() throws SQLException {
        String documented = DocumentedBlocks.all().stream()
                .filter(block -> block.page().equals("docs/archive.md")
                        && block.language().equals("sql")
                        && block.text().contains("CREATE ROLE"))
                .findFirst()
                .orElseThrow()
                .text();
        run(documented.replaceAll("\\btandem_archive\\b", schema).replaceAll("\\btandem\\b", name));

        try (Connection on = connect(name, name)) {
            ArchiveTables tables = new ArchiveTables(schema);
            tables.migrate(on);
            tables.ensure(on, LocalDate.of(2026, 11, 28));
            assertThat(tables.dropBefore(on, LocalDate.of(2026, 11, 29))).containsExactly(LocalDate.of(2026, 11, 28));
        }
    }

    @Test
    void aMissingSchemaIsNamedWithTheStatementThatCreatesIt() throws SQLException {
        run("CREATE ROLE " + name + " LOGIN; CREATE DATABASE " + name + ";");

        try (Connection on = connect(name, name)) {
            assertThatThrownBy(() -> new ArchiveTables(schema).migrate(on))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("CREATE SCHEMA " + schema + " AUTHORIZATION " + name);
        }
    }

    /** Runs statements one after the other, each by itself, and goes to another database at \\connect. */
    private void run(String script) throws SQLException {
        Connection on = connect("postgres", "postgres");
        try {
            for (String line : script.split(";|\n")) {
                String statement = line.strip();
                if (statement.startsWith("\\connect ")) {
                    on.close();
                    on = connect("postgres", statement.substring("\\connect ".length()));
                } else if (!statement.isEmpty()) {
                    try (Statement each = on.createStatement()) {
                        each.execute(statement);
                    }
                }
            }
        } finally {
            on.close();
        }
    }

    private static Connection connect(String user, String database) throws SQLException {
        String admin = Brokers.postgres().address();
        String url = admin.replace("/postgres?user=postgres", "/" + database + "?user=" + user);
        return DriverManager.getConnection(url);
    }
}
