package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.ExecutorRequests.Answer;
import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Questions to executors. */
class ExecutorRequestsIT extends OperatorTestBase {

    @Test
    void anAnswerThatNobodyWaitsForLeavesNothingBehind() throws Exception {
        String name = "requests:" + queue;
        byte[] hash = name.getBytes(StandardCharsets.UTF_8);
        ExecutorRequests requests = store.runningTasks().requestsOn(hash, name);
        CompletableFuture<Answer> late = new CompletableFuture<>();
        CompletableFuture<Answer> quick = CompletableFuture.completedFuture(new Answer("quick", List.of("here")));
        try (AutoCloseable slowOne = requests.listen((queue, question) -> late);
                AutoCloseable quickOne = requests.listen((queue, question) -> quick)) {
            ExecutorRequests.Request request = get(requests.ask(queue, "where", Set.of("quick", "slow")));
            await().until(() -> get(request.answersOfEach()).equals(Map.of("quick", List.of("here"))));
            get(request.close());
            late.complete(new Answer("slow", List.of("there")));

            // One more question and answer are behind the late one on its connection.
            ExecutorRequests.Request next = get(requests.ask(queue, "where", Set.of("quick")));
            await().until(() -> !get(next.answersOfEach()).isEmpty());
            get(next.close());
            assertThat(Brokers.redis().commands().exists(name)).isZero();
        }
    }
}
