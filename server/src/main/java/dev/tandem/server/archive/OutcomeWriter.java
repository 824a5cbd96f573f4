package dev.tandem.server.archive;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes outcomes in batches. Rows that are there already stay as they are, so each batch may be written again. */
final class OutcomeWriter {

    private static final int STATEMENT_SECONDS = 30;
    /** The class of errors that are due to a value. */
    private static final String DATA_ERROR = "22";

    /** One column: its name, the type of its array, and its value. */
    private record Column(String name, String type, Function<ArchivedOutcome, @Nullable Object> value) {
        /** Times go as numbers, which are exact. */
        String selected() {
            return name.endsWith("_at") ? "timestamptz 'epoch' + " + name + " * interval '1 microsecond'" : name;
        }
    }

    private static final List<Column> COLUMNS = List.of(
            new Column("queue", "text", ArchivedOutcome::queue),
            new Column("partition", "text", ArchivedOutcome::partition),
            new Column("position", "text", ArchivedOutcome::position),
            new Column("kind", "text", ArchivedOutcome::kind),
            new Column("recorded_at", "bigint", outcome -> micros(outcome.recordedAt())),
            new Column("task_id", "text", ArchivedOutcome::id),
            new Column("type", "text", ArchivedOutcome::type),
            new Column("key", "text", ArchivedOutcome::key),
            new Column("attempt", "integer", ArchivedOutcome::attempt),
            new Column("executor", "text", ArchivedOutcome::executor),
            new Column("error", "text", ArchivedOutcome::error),
            new Column("started_at", "bigint", outcome -> micros(outcome.startedAt())),
            new Column("duration_millis", "bigint", ArchivedOutcome::durationMillis),
            new Column("duplicate_of", "text", ArchivedOutcome::duplicateOf),
            new Column("sequence", "bigint", ArchivedOutcome::sequence));

    /** The columns of an outcome, as SQL lists them. */
    static final String NAMES =
            String.join(", ", COLUMNS.stream().map(Column::name).toList());

    /** @param refused rows that PostgreSQL does not take, whatever is tried */
    record Written(int stored, int refused) {}

    private final String insert;

    OutcomeWriter(String schema) {
        String selected =
                String.join(", ", COLUMNS.stream().map(Column::selected).toList());
        String arrays = String.join(
                ", ",
                COLUMNS.stream().map(column -> "?::" + column.type() + "[]").toList());
        this.insert = "INSERT INTO " + schema + ".outcomes (" + NAMES + ") SELECT " + selected + " FROM unnest("
                + arrays + ") AS given (" + NAMES + ") ON CONFLICT DO NOTHING";
    }

    private static @Nullable Long micros(@Nullable Instant time) {
        return time == null ? null : ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    /**
     * Writes outcomes whose days have partitions.
     *
     * @throws SQLException if PostgreSQL fails for a reason other than a value; some of them may be written
     */
    Written write(Connection on, List<ArchivedOutcome> outcomes) throws SQLException {
        try {
            return new Written(
                    insert(on, outcomes.stream().sorted(ArchivedOutcome.BY_NAME).toList()), 0);
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().startsWith(DATA_ERROR)) {
                throw e;
            }
            if (outcomes.size() == 1) {
                return new Written(0, 1);
            }
            int half = outcomes.size() / 2;
            Written first = write(on, outcomes.subList(0, half));
            Written second = write(on, outcomes.subList(half, outcomes.size()));
            return new Written(first.stored() + second.stored(), first.refused() + second.refused());
        }
    }

    private int insert(Connection on, List<ArchivedOutcome> outcomes) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(insert)) {
            statement.setQueryTimeout(STATEMENT_SECONDS);
            for (int i = 0; i < COLUMNS.size(); i++) {
                Column column = COLUMNS.get(i);
                Array values = on.createArrayOf(
                        column.type(), outcomes.stream().map(column.value()).toArray());
                statement.setArray(i + 1, values);
            }
            return statement.executeUpdate();
        }
    }
}
