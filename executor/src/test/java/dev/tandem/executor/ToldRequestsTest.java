package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.FanOutRequest.Tell;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests how many requests about unknown fan-outs are kept. */
class ToldRequestsTest {

    private static final long HORIZON = 3_000;
    private static final FanOutAnswer UNKNOWN =
            new FanOutAnswer(Code.UNKNOWN, Stop.NO, false, 0, -1, new byte[0], "", null);

    private final ToldRequests told = new ToldRequests(HORIZON, 60_000);

    private void ends(int from, int count, long now) {
        List<FanOutRequest> requests = IntStream.range(from, from + count)
                .<FanOutRequest>mapToObj(number -> new Tell("00112233445566778899", number, End.SUCCEEDED, null))
                .toList();
        told.applied(1, now, now, ToldRequests.first(requests), Collections.nCopies(count, UNKNOWN));
    }

    @Test
    void oldestRequestsOfUnknownFanOutsAreDroppedAndReportedOnceAMinute() {
        ends(0, ToldRequests.MAX_KEPT, 0);
        assertThat(told.reportGivenUp(0)).isZero();

        ends(ToldRequests.MAX_KEPT, 3, 1);
        assertThat(told.reportGivenUp(1)).isEqualTo(3);
        ends(ToldRequests.MAX_KEPT + 3, 1, 2);
        assertThat(told.reportGivenUp(2)).as("a moment later").isZero();
        ends(ToldRequests.MAX_KEPT + 4, 1, 3);
        assertThat(told.reportGivenUp(1 + ToldRequests.REPORT_MILLIS)).isEqualTo(2);

        assertThat(told.look(HORIZON)).isNotNull();
        List<ToldRequests.Sent> again = told.takeAgain(Integer.MAX_VALUE);
        assertThat(again).hasSize(ToldRequests.MAX_KEPT);
        assertThat(((Tell) again.get(0).request()).number())
                .as("the oldest are")
                .isEqualTo(5);
    }
}
