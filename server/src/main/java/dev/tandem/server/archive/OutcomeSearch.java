package dev.tandem.server.archive;

import dev.tandem.server.archive.Archive.Found;
import dev.tandem.server.archive.Archive.Search;
import dev.tandem.server.archive.Archive.SlowSearchException;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.FailureText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Searches the archive. Values are always parameters of a statement. Each search has a time range, so that PostgreSQL looks at the
 * partitions of those days only, and reads the latest rows of an index, whatever else there is.
 */
final class OutcomeSearch {

    private static final String NAME = "recorded_at, queue, partition, position, kind";
    private static final String LATEST_FIRST =
            " ORDER BY recorded_at DESC, queue DESC, partition DESC, position DESC, kind DESC LIMIT ?";
    /** Begins with the time, as an index does behind queue and kind, or queue and a name. */
    private static final String LATEST_OF_ONE_QUEUE =
            " ORDER BY recorded_at DESC, partition DESC, position DESC, kind DESC LIMIT ?";

    private static final String CANCELED = "57014";
    private static final String PLACE_SEPARATOR = "\n";
    private static final int PLACE_PARTS = 5;

    private final ArchiveDatabase database;
    private final String table;
    private final Duration timeout;

    OutcomeSearch(ArchiveDatabase database, String schema, Duration timeout) {
        this.database = database;
        this.table = schema + ".outcomes";
        this.timeout = timeout;
    }

    Found search(Search search, @Nullable String after, int max) {
        String[] behind = after == null ? null : parts(after);
        Query sql = new Query();
        boolean named = search.id() != null || search.key() != null || search.type() != null;
        sql.add("SELECT o.* FROM unnest(?::text[]) AS q (name)", (Object)
                search.queues().stream().map(StoredText::name).toArray(String[]::new));
        if (!named) {
            // Each kind is a place in the index of its own.
            sql.add(" CROSS JOIN unnest(?::text[]) AS k (name)", (Object)
                    search.kinds().toArray(String[]::new));
        }
        sql.add(" CROSS JOIN LATERAL (SELECT " + OutcomeWriter.NAMES + " FROM " + table + " WHERE queue = q.name");
        if (named) {
            sql.add(" AND kind = ANY (?::text[])", (Object) search.kinds().toArray(String[]::new));
        } else {
            sql.add(" AND kind = k.name");
        }
        sql.equal("task_id", search.id());
        sql.equal("key", search.key());
        sql.equal("type", search.type());
        sql.add(" AND recorded_at >= ? AND recorded_at < ?", time(search.from()), time(search.until()));
        if (behind != null) {
            OffsetDateTime at = time(micros(behind[0]));
            sql.add(" AND recorded_at <= ?", at);
            sql.add(" AND (" + NAME + ") < (?, ?, ?, ?, ?)", at, behind[1], behind[2], behind[3], behind[4]);
        }
        sql.add(LATEST_OF_ONE_QUEUE, max + 1);
        sql.add(") o" + LATEST_FIRST, max + 1);
        List<ArchivedOutcome> found = run(sql);
        return found.size() <= max
                ? new Found(found, null)
                : new Found(List.copyOf(found.subList(0, max)), place(found.get(max - 1)));
    }

    List<ArchivedOutcome> ofTask(String queue, String idOrRef, int max) {
        Query sql = new Query();
        Optional<TaskRef> ref = TaskRef.parse(idOrRef);
        sql.add("SELECT " + OutcomeWriter.NAMES + " FROM " + table + " WHERE queue = ?", StoredText.name(queue));
        if (ref.isPresent()) {
            sql.add(
                    " AND partition = ? AND position = ?",
                    ref.get().partition(),
                    ref.get().position());
        } else {
            sql.equal("task_id", idOrRef);
        }
        sql.add(LATEST_FIRST, max);
        List<ArchivedOutcome> found = new ArrayList<>(run(sql));
        Collections.reverse(found);
        return found;
    }

    private List<ArchivedOutcome> run(Query sql) {
        try {
            return database.search(on -> run(on, sql));
        } catch (SQLException e) {
            if (CANCELED.equals(e.getSQLState())) {
                throw new SlowSearchException(
                        "The search of the archive took longer than " + timeout.toMillis() + " ms", e);
            }
            throw new UnavailableException("The archive in PostgreSQL does not answer: " + FailureText.of(e), e);
        }
    }

    private List<ArchivedOutcome> run(Connection on, Query sql) throws SQLException {
        on.setAutoCommit(false);
        try (Statement settings = on.createStatement();
                PreparedStatement query = on.prepareStatement(sql.text.toString())) {
            settings.execute("SET TRANSACTION READ ONLY");
            settings.execute("SET LOCAL statement_timeout = " + timeout.toMillis());
            settings.execute("SET LOCAL plan_cache_mode = force_custom_plan");
            // Without statistics of a fresh partition, PostgreSQL would rather sort all of a day than walk the index.
            settings.execute("SET LOCAL enable_bitmapscan = off");
            settings.execute("SET LOCAL enable_seqscan = off");
            for (int i = 0; i < sql.values.size(); i++) {
                Object value = sql.values.get(i);
                if (value instanceof String[] texts) {
                    query.setArray(i + 1, on.createArrayOf("text", texts));
                } else {
                    query.setObject(i + 1, value);
                }
            }
            try (ResultSet rows = query.executeQuery()) {
                List<ArchivedOutcome> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(outcome(rows));
                }
                return found;
            }
        } finally {
            on.rollback();
            on.setAutoCommit(true);
        }
    }

    private static ArchivedOutcome outcome(ResultSet row) throws SQLException {
        OffsetDateTime started = row.getObject("started_at", OffsetDateTime.class);
        long duration = row.getLong("duration_millis");
        Long millis = row.wasNull() ? null : duration;
        return new ArchivedOutcome(
                row.getString("queue"),
                row.getString("partition"),
                row.getString("position"),
                row.getString("kind"),
                row.getObject("recorded_at", OffsetDateTime.class).toInstant(),
                row.getString("task_id"),
                row.getString("type"),
                row.getString("key"),
                row.getInt("attempt"),
                row.getString("executor"),
                row.getString("error"),
                started == null ? null : started.toInstant(),
                millis,
                row.getString("duplicate_of"),
                row.getLong("sequence"));
    }

    private static OffsetDateTime time(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }

    private static String place(ArchivedOutcome last) {
        return String.join(
                PLACE_SEPARATOR,
                Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, last.recordedAt())),
                last.queue(),
                last.partition(),
                last.position(),
                last.kind());
    }

    private static String[] parts(String place) {
        String[] parts = place.split(PLACE_SEPARATOR, -1);
        if (parts.length != PLACE_PARTS || !Arrays.stream(parts).allMatch(part -> part.equals(StoredText.name(part)))) {
            throw new IllegalArgumentException("it has no place");
        }
        return parts;
    }

    /** Returns the time of a place. Anybody can make a cursor up, and PostgreSQL fails at times that it does not know. */
    private static Instant micros(String text) {
        Instant time = Instant.EPOCH.plus(Long.parseLong(text), ChronoUnit.MICROS);
        if (time.isBefore(Instant.EPOCH) || time.isAfter(EventDecoder.LATEST)) {
            throw new IllegalArgumentException("it has no place");
        }
        return time;
    }

    /** A statement that grows, with its values. */
    private static final class Query {
        private final StringBuilder text = new StringBuilder();
        private final List<Object> values = new ArrayList<>();

        void add(String part, Object... more) {
            text.append(part);
            Collections.addAll(values, more);
        }

        void equal(String column, @Nullable String value) {
            if (value != null) {
                add(" AND " + column + " = ?", StoredText.name(value));
            }
        }
    }
}
