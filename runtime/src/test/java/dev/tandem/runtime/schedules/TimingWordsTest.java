package dev.tandem.runtime.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a schedule fires, in words. */
class TimingWordsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 0 9 * * MON-FRI | every weekday at 09:00",
                "0 30 2 * * * | every day at 02:30",
                "15 30 2 * * * | every day at 02:30:15",
                "0 0 9-17/2 * * MON-FRI | every weekday at 09:00, 11:00, 13:00, 15:00 and 17:00",
                "0 0,30 9,17 * * SAT,SUN | every Saturday and Sunday at 09:00, 09:30, 17:00 and 17:30",
                "0 0 8 1 * * | on day 1 of every month at 08:00",
                "0 0 8 1,15 1,7 * | on days 1 and 15 in January and July at 08:00",
                "0 0 0 L * * | on the last day of every month at 00:00",
                "0 0 0 L-2 * * | on the last day but 2 of every month at 00:00",
                "0 0 8 LW * * | on the last weekday of every month at 08:00",
                "0 0 8 15W 3 * | on the weekday nearest to day 15 in March at 08:00",
                "0 0 8 * * MON#1 | on the first Monday of every month at 08:00",
                "0 0 8 * * FRIL | on the last Friday of every month at 08:00",
                "0 0 0 * 12 * | every day in December at 00:00",
                "* * * * * * | every second",
                "*/10 * * * * * | every 10 seconds",
                "* * * * * | every minute",
                "*/10 * * * * | every 10 minutes",
                "*/10 9-17 * * MON-FRI | every 10 minutes from 09:00 to 17:59, every weekday",
                "30 * * * * | every hour at minute 30",
                "5,7 * * * * | at minutes 5 and 7 of every hour",
                "*/7 * * 2 * | at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour, every day in February",
                "30 0-22/2 * * * | at minute 30 of each hour in the hours 00:00, 02:00, 04:00, 06:00, 08:00, 10:00, 12:00,"
                        + " 14:00, 16:00, 18:00, 20:00 and 22:00",
                "5 * * * * * | at second 5 of every minute",
                "*/20 5 * * * * | every 20 seconds of minute 5",
                "@weekly | every Monday at 00:00",
                "@hourly | every hour at minute 0"
            })
    void saysWhenACronExpressionFires(String expression, String words) {
        assertThat(TimingWords.ENGLISH.of(CronExpression.parse(expression))).isEqualTo(words);
    }

    @Test
    void namesTheZone() {
        assertThat(TimingWords.ENGLISH.of(
                        new Timing.Cron(CronExpression.parse("0 9 * * 1-5"), ZoneId.of("Europe/Zurich"))))
                .isEqualTo("every weekday at 09:00 Europe/Zurich");
    }

    @ParameterizedTest
    @CsvSource({
        "PT1S, every second",
        "PT90S, every 90 seconds",
        "PT1M, every minute",
        "PT15M, every 15 minutes",
        "PT1H, every hour",
        "PT36H, every 36 hours",
        "PT24H, every day from midnight UTC",
        "P7D, every 7 days from midnight UTC"
    })
    void saysHowLongAnIntervalIs(Duration interval, String words) {
        assertThat(TimingWords.ENGLISH.of(new Timing.Every(interval))).isEqualTo(words);
    }
}
