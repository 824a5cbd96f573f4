package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** MySQL 8.0.17 and later. */
final class MySqlDialect extends MySqlFamily {

    static final MySqlDialect INSTANCE = new MySqlDialect();

    // It locks the row, and so reads what is there now, and not what was there when the transaction began.
    private static final String TOKEN = "SELECT token FROM tandem_once_key WHERE queue = ? AND task_key = ? FOR UPDATE";

    private MySqlDialect() {}

    @Override
    public String script() {
        return "db/tandem/mysql/V1__tandem_outbox.sql";
    }

    @Override
    String sessionSettings(boolean isDefault) {
        return "";
    }

    @Override
    public boolean raiseToken(Connection connection, String queue, String key, long token) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement(RAISE_TOKEN)) {
            raise.setString(1, queue);
            raise.setString(2, key);
            raise.setLong(3, token);
            raise.executeUpdate();
        }
        try (PreparedStatement select = connection.prepareStatement(TOKEN)) {
            select.setString(1, queue);
            select.setString(2, key);
            try (ResultSet highest = select.executeQuery()) {
                return highest.next() && highest.getLong(1) == token;
            }
        }
    }
}
