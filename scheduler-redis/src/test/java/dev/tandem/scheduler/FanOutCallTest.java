package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.store.Store;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The form in which a call about fan-outs goes to Redis. */
class FanOutCallTest {

    private static final String ID = "00112233445566778899";

    private static int bytes(FanOutCaller caller, List<FanOutRequest> requests) {
        FanOutCall call = new FanOutCall(caller, requests);
        return Stream.of(call.keys(RedisKeys.DEFAULTS, 3), call.arguments())
                .flatMap(Stream::of)
                .mapToInt(each -> each.length)
                .sum();
    }

    @Test
    void theNumbersOfACallTakeFewBytes() {
        List<FanOutRequest> ends = LongStream.range(1_000, 1_000 + Store.MAX_FAN_OUT_REQUESTS)
                .<FanOutRequest>mapToObj(number -> new FanOutRequest.Tell(ID, number, End.SUCCEEDED, null))
                .toList();
        FanOutCaller caller = new FanOutCaller("0123456789abcdef01", 123_456, 123_450);

        int question = bytes(caller, List.of(new FanOutRequest.Ask(ID, 0)));
        int key = RedisKeys.DEFAULTS.fanOutCaller(3, caller.name()).length;
        int numbers = key
                + Long.toString(caller.number()).length()
                + Long.toString(caller.known()).length();

        System.out.println("A call with " + ends.size() + " ends takes " + bytes(caller, ends) + " bytes, of which its"
                + " numbers take " + numbers + "; a question takes " + question);
        assertThat(numbers).isLessThan(60);
        assertThat(question).isLessThan(600);
    }
}
