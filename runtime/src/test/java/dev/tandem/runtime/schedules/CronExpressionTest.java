package dev.tandem.runtime.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronExpressionTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 30 2 * * *         | 2026-11-23T10:00:00 | 2026-11-24T02:30:00 2026-11-25T02:30:00",
                "30 2 * * *           | 2026-11-23T10:00:00 | 2026-11-24T02:30:00",
                "*/20 * * * * *       | 2026-11-23T10:00:15 | 2026-11-23T10:00:20 2026-11-23T10:00:40 2026-11-23T10:01:00",
                "0 0 9-17/4 * * *     | 2026-11-23T10:00:00 | 2026-11-23T13:00:00 2026-11-23T17:00:00 2026-11-24T09:00:00",
                "0 5/20 8 * * *       | 2026-11-23T10:00:00 | 2026-11-24T08:05:00 2026-11-24T08:25:00 2026-11-24T08:45:00",
                "0 0 12 * * MON-FRI   | 2026-11-20T13:00:00 | 2026-11-23T12:00:00",
                "0 0 12 * * SAT-SUN   | 2026-11-23T13:00:00 | 2026-11-28T12:00:00 2026-11-29T12:00:00",
                "0 0 12 * * 0         | 2026-11-23T13:00:00 | 2026-11-29T12:00:00",
                "0 0 12 ? * 7         | 2026-11-23T13:00:00 | 2026-11-29T12:00:00",
                "0 0 12 * * 6-7       | 2026-11-23T13:00:00 | 2026-11-28T12:00:00 2026-11-29T12:00:00",
                "0 0 0 1,15 * ?       | 2026-11-23T13:00:00 | 2026-12-01T00:00:00 2026-12-15T00:00:00",
                "0 0 0 L * *          | 2026-01-31T13:00:00 | 2026-02-28T00:00:00 2026-03-31T00:00:00",
                "0 0 0 L-2 * *        | 2026-02-01T00:00:00 | 2026-02-26T00:00:00",
                "0 0 0 LW * *         | 2026-01-15T00:00:00 | 2026-01-30T00:00:00 2026-02-27T00:00:00",
                "0 0 0 1W * *         | 2026-07-15T00:00:00 | 2026-08-03T00:00:00",
                "0 0 0 15W * *        | 2026-11-01T00:00:00 | 2026-11-16T00:00:00",
                "0 0 0 31W * *        | 2026-11-01T00:00:00 | 2026-12-31T00:00:00 2027-01-29T00:00:00",
                "0 0 0 * * MON#1      | 2026-11-03T00:00:00 | 2026-12-07T00:00:00 2027-01-04T00:00:00",
                "0 0 0 * * fri#5      | 2026-11-03T00:00:00 | 2027-01-29T00:00:00",
                "0 0 0 * * FRIL       | 2026-11-03T00:00:00 | 2026-11-27T00:00:00 2026-12-25T00:00:00",
                "0 0 0 * * 5L,MON     | 2026-11-24T00:00:00 | 2026-11-27T00:00:00 2026-11-30T00:00:00",
                "0 0 0 29 2 *         | 2026-11-03T00:00:00 | 2028-02-29T00:00:00 2032-02-29T00:00:00",
                "0 0 0 29 feb *       | 2096-11-03T00:00:00 | 2104-02-29T00:00:00",
                "@hourly              | 2026-11-23T10:00:00 | 2026-11-23T11:00:00",
                "@DAILY               | 2026-11-23T10:00:00 | 2026-11-24T00:00:00",
                "@yearly              | 2026-11-23T10:00:00 | 2027-01-01T00:00:00",
            })
    void firesAtTheTimesOfItsFields(String expression, String after, String times) {
        CronExpression cron = CronExpression.parse(expression);
        ZoneId utc = ZoneId.of("UTC");
        Instant at = LocalDateTime.parse(after).atZone(utc).toInstant();
        for (String expected : times.split(" ")) {
            at = cron.next(at, utc);
            assertThat(at).isEqualTo(LocalDateTime.parse(expected).atZone(utc).toInstant());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\"            | it has 0 fields: write six",
                "* * * *         | it has 4 fields: write six",
                "0 0 30 2 *      | it never fires, because none of its months has such a day: correct the day of the month ('30')",
                "0 0 0 31 2,4,6 *| it never fires",
                "0 0 0 31W 4 *   | it never fires",
                "60 0 0 * * *    | the second is '60': it must be 0 to 59",
                "0 0 24 * * *    | the hour is '24': it must be 0 to 23",
                "0 0 0 0 * *     | the day of the month is '0': it must be 1 to 31",
                "0 0 0 * 13 *    | the month is '13': it must be 1 to 12, or JAN to DEC",
                "0 0 0 * * 8     | the day of the week is '8': it must be 0 to 7, or MON to SUN",
                "0 0 0 * * FUN   | the day of the week is 'FUN'",
                "0 0 22-2 * * *  | the hour is '22-2': the range ends before it begins: write two ranges, such as 22-23,0-2",
                "0 */0 * * * *   | the minute is '*/0': the step behind / must be 1 to 59",
                "0 0/99 * * * *  | the minute is '0/99': the step behind / must be 1 to 59",
                "0 1, * * * *    | the minute is ''",
                "0 -1 * * * *    | the minute is '-1'",
                "0 0 0 1 * MON   | it restricts both the day of the month ('1') and the day of the week ('MON')",
                "0 0 0 * * MON#6 | the number behind # must be 1 to 5",
                "0 0 0 L-31 * *  | no month has so many days",
                "@never          | there is no such name: write @hourly",
            })
    void refusesWhatItCannotReadAndSaysWhatToWrite(String expression, String message) {
        assertThatThrownBy(() -> CronExpression.parse(expression))
                .isInstanceOf(CronException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aTimeThatIsLeftOutFiresAtTheEndOfTheGap() {
        assertThat(days("0 30 2 * * *", "2026-03-28T00:00", 3))
                .containsExactly("2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00");
    }

    @Test
    void severalTimesInOneGapFireOnce() {
        assertThat(days("0 */20 2-3 * * *", "2026-03-29T00:00", 4))
                .containsExactly(
                        "2026-03-29T03:00+02:00",
                        "2026-03-29T03:20+02:00",
                        "2026-03-29T03:40+02:00",
                        "2026-03-30T02:00+02:00");
    }

    @Test
    void aTimeThatComesTwiceFiresInTheFirstPass() {
        assertThat(days("0 30 2 * * *", "2026-10-24T00:00", 3))
                .containsExactly("2026-10-24T02:30+02:00", "2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00");
        // The same, asked in the middle of the second pass.
        assertThat(days("0 */30 2-3 * * *", "2026-10-25T02:10+01:00", 2))
                .containsExactly("2026-10-25T03:00+01:00", "2026-10-25T03:30+01:00");
    }

    @Test
    void anExpressionOfEveryHourFiresInBothPassesAndNotInTheGap() {
        assertThat(days("0 30 * * * *", "2026-10-25T01:00", 4))
                .containsExactly(
                        "2026-10-25T01:30+02:00",
                        "2026-10-25T02:30+02:00",
                        "2026-10-25T02:30+01:00",
                        "2026-10-25T03:30+01:00");
        assertThat(days("0 30 * * * *", "2026-03-29T01:00", 2))
                .containsExactly("2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00");
    }

    @Test
    void aDayThatAZoneLeavesOutFiresOnceAtItsEnd() {
        assertThat(days("0 0 6,12 * * *", "2011-12-29T10:00", 3, ZoneId.of("Pacific/Apia")))
                .containsExactly("2011-12-29T12:00-10:00", "2011-12-31T00:00+14:00", "2011-12-31T06:00+14:00");
    }

    @Test
    void aMidnightThatIsLeftOutFiresWhenTheDayBegins() {
        assertThat(days("@daily", "2017-10-14T12:00", 2, ZoneId.of("America/Sao_Paulo")))
                .containsExactly("2017-10-15T01:00-02:00", "2017-10-16T00:00-02:00");
    }

    @Test
    void aGapAtMidnightDoesNotLoseTheDay() {
        assertThat(days("0 0 */2 * * *", "2025-04-24T21:30", 4, ZoneId.of("Africa/Cairo")))
                .containsExactly(
                        "2025-04-24T22:00+02:00",
                        "2025-04-25T01:00+03:00",
                        "2025-04-25T02:00+03:00",
                        "2025-04-25T04:00+03:00");
    }

    /** Compares with a look at each second around the changes of clocks, in zones that have any. */
    @Test
    void agreesWithTheRulesSecondBySecondInManyZones() {
        Random random = new Random(7);
        List<String> zones = ZoneId.getAvailableZoneIds().stream()
                .filter(each -> !ZoneId.of(each).getRules().isFixedOffset())
                .sorted()
                .collect(Collectors.toList());
        String[] expressions = {
            "*/7 * * * * *",
            "0 */10 * * * *",
            "0 30 * * * *",
            "0 0,30 0-4 * * *",
            "0 15 2 * * *",
            "10 0 0 * * *",
            "0 45 1,23 * * *",
            "0 0 */2 * * *",
            "5 5 1-3 * * *"
        };
        for (int i = 0; i < 45; i++) {
            ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
            Instant somewhen = Instant.ofEpochSecond(random.nextLong(0, 2_000_000_000L));
            ZoneOffsetTransition change = zone.getRules().nextTransition(somewhen);
            if (change == null) {
                change = zone.getRules().previousTransition(somewhen);
            }
            long from = change.toEpochSecond() - 2 * 3_600;
            long to = change.toEpochSecond() + 3 * 3_600;
            CronExpression cron = CronExpression.parse(expressions[i % expressions.length]);
            assertThat(fired(cron, zone, from, to))
                    .as("%s in %s around %s", cron, zone, change)
                    .containsExactlyElementsOf(expected(expressions[i % expressions.length], zone, from, to));
        }
    }

    private static List<Long> fired(CronExpression cron, ZoneId zone, long from, long to) {
        List<Long> all = new ArrayList<>();
        Instant at = Instant.ofEpochSecond(from);
        for (at = cron.next(at, zone); at != null && at.getEpochSecond() <= to; at = cron.next(at, zone)) {
            all.add(at.getEpochSecond());
        }
        return all;
    }

    /** The rules, in the plainest form. */
    private static List<Long> expected(String expression, ZoneId zone, long from, long to) {
        CronExpression cron = CronExpression.parse(expression);
        ZoneId utc = ZoneId.of("UTC");
        TreeSet<Long> all = new TreeSet<>();
        if (expression.split(" ")[2].equals("*")) {
            for (long second = from + 1; second <= to; second++) {
                if (matches(cron, LocalDateTime.ofInstant(Instant.ofEpochSecond(second), zone), utc)) {
                    all.add(second);
                }
            }
        } else {
            // Each local time around, whether the clock shows it never, once or twice.
            LocalDateTime first =
                    LocalDateTime.ofInstant(Instant.ofEpochSecond(from), zone).minusHours(4);
            LocalDateTime last =
                    LocalDateTime.ofInstant(Instant.ofEpochSecond(to), zone).plusHours(4);
            for (LocalDateTime local = first; local.isBefore(last); local = local.plusSeconds(1)) {
                if (matches(cron, local, utc)) {
                    ZoneOffsetTransition change = zone.getRules().getTransition(local);
                    long instant = change != null && change.isGap()
                            ? change.toEpochSecond()
                            : ZonedDateTime.ofLocal(local, zone, null)
                                    .withEarlierOffsetAtOverlap()
                                    .toEpochSecond();
                    if (instant > from && instant <= to) {
                        all.add(instant);
                    }
                }
            }
        }
        return List.copyOf(all);
    }

    private static boolean matches(CronExpression cron, LocalDateTime local, ZoneId utc) {
        Instant plain = local.atZone(utc).toInstant();
        return plain.equals(cron.next(plain.minusSeconds(1), utc));
    }

    private static List<String> days(String expression, String after, int count) {
        return days(expression, after, count, BERLIN);
    }

    private static List<String> days(String expression, String after, int count, ZoneId zone) {
        Instant at = after.contains("+")
                ? ZonedDateTime.parse(after).toInstant()
                : LocalDateTime.parse(after).atZone(zone).toInstant();
        return new Timing.Cron(CronExpression.parse(expression), zone)
                .next(at, count).stream()
                        .map(each -> each.atZone(zone).toOffsetDateTime().toString())
                        .toList();
    }
}
