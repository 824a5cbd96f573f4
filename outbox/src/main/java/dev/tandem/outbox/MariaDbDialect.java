package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** MariaDB 10.6 and later. */
final class MariaDbDialect extends MySqlFamily {

    static final MariaDbDialect INSTANCE = new MariaDbDialect();

    private MariaDbDialect() {}

    @Override
    public String script() {
        return "db/tandem/mariadb/V1__tandem_outbox.sql";
    }

    /** Long lists stay lists: they are compared faster so. */
    @Override
    String sessionSettings(boolean isDefault) {
        return ", SESSION in_predicate_conversion_threshold = " + (isDefault ? "DEFAULT" : "0");
    }

    // The number of changed rows means other things with other settings of the driver, so the token itself is asked
    // for.
    @Override
    public boolean raiseToken(Connection connection, String queue, String key, long token) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement(RAISE_TOKEN + " RETURNING token")) {
            raise.setString(1, queue);
            raise.setString(2, key);
            raise.setLong(3, token);
            try (ResultSet highest = raise.executeQuery()) {
                return highest.next() && highest.getLong(1) == token;
            }
        }
    }
}
