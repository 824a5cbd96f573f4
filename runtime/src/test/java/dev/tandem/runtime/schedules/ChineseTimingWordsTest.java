package dev.tandem.runtime.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a schedule fires, in Chinese: the same expressions as in {@link TimingWordsTest}. */
class ChineseTimingWordsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 0 9 * * MON-FRI | 每个工作日 09:00",
                "0 30 2 * * * | 每天 02:30",
                "15 30 2 * * * | 每天 02:30:15",
                "0 0 9-17/4 * * MON-FRI | 每个工作日 09:00、13:00、17:00",
                "0 0 8 * * SAT,SUN | 每星期六、星期日 08:00",
                "0 0 8 1 * * | 每月 1 日 08:00",
                "0 0 8 1,15 1,7 * | 1、7 月 1、15 日 08:00",
                "0 0 0 L * * | 每月最后一天 00:00",
                "0 0 0 L-2 * * | 每月倒数第 3 天 00:00",
                "0 0 8 LW * * | 每月最后一个工作日 08:00",
                "0 0 8 15W 3 * | 3 月离 15 日最近的工作日 08:00",
                "0 0 8 * * MON#1 | 每月第 1 个星期一 08:00",
                "0 0 8 * * FRIL | 每月最后一个星期五 08:00",
                "0 0 0 * 12 * | 12 月每天 00:00",
                "* * * * * * | 每秒",
                "*/10 * * * * * | 每 10 秒",
                "* * * * * | 每分钟",
                "*/10 * * * * | 每 10 分钟",
                "*/10 9-17 * * MON-FRI | 每个工作日，09:00 至 17:59，每 10 分钟",
                "30 * * * * | 每小时的第 30 分",
                "5,7 * * * * | 每小时的第 5、7 分",
                "30 0-22/2 * * * | 0、2、4、6、8、10、12、14、16、18、20、22 点，每小时的第 30 分",
                "5 * * * * * | 每分钟的第 5 秒",
                "*/20 5 * * * * | 第 5 分的每 20 秒",
                "@weekly | 每星期一 00:00",
                "@hourly | 每小时的第 0 分"
            })
    void saysWhenACronExpressionFires(String expression, String words) {
        assertThat(TimingWords.CHINESE.of(CronExpression.parse(expression))).isEqualTo(words);
    }

    @Test
    void namesTheZone() {
        assertThat(TimingWords.CHINESE.of(
                        new Timing.Cron(CronExpression.parse("0 9 * * 1-5"), ZoneId.of("Europe/Zurich"))))
                .isEqualTo("每个工作日 09:00 Europe/Zurich");
    }

    @ParameterizedTest
    @CsvSource({
        "PT1S, 每秒",
        "PT90S, 每 90 秒",
        "PT15M, 每 15 分钟",
        "PT1H, 每小时",
        "PT36H, 每 36 小时",
        "PT24H, 从 UTC 零点起，每天",
        "P7D, 从 UTC 零点起，每 7 天"
    })
    void saysHowLongAnIntervalIs(Duration interval, String words) {
        assertThat(TimingWords.CHINESE.of(new Timing.Every(interval))).isEqualTo(words);
    }
}
