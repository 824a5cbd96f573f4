package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.Result;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests of what the observations carry and tell. */
class TaskObservationsTest {

    private final List<Observation.Context> ended = new ArrayList<>();
    private final Map<String, String> received = new HashMap<>();
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final TaskObservations observations = new TaskObservations(registry);
    private final CompletableFuture<TaskRef<?>> accepted = new CompletableFuture<>();
    private final AtomicReference<TaskRequest<?>> sent = new AtomicReference<>();

    TaskObservationsTest() {
        registry.observationConfig().observationHandler(new Propagating());
    }

    /** Does with the headers what Micrometer's tracing does. */
    private final class Propagating implements ObservationHandler<Observation.Context> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void onStart(Observation.Context context) {
            if (context instanceof SenderContext<?> sender) {
                SenderContext<Object> typed = (SenderContext<Object>) sender;
                typed.getSetter().set(typed.getCarrier(), "traceparent", "00-1-2-01");
            } else if (context instanceof ReceiverContext<?> receiver) {
                ReceiverContext<Object> typed = (ReceiverContext<Object>) receiver;
                received.put("traceparent", typed.getGetter().get(typed.getCarrier(), "traceparent"));
            }
        }

        @Override
        public void onStop(Observation.Context context) {
            ended.add(context);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private TaskRef<?> ref() {
        TaskRef ref = mock(TaskRef.class);
        when(ref.accepted()).thenReturn(accepted);
        return ref;
    }

    private void submit() {
        TaskRef<?> ref = ref();
        TaskRequest<?> task = TaskRequest.of("orders", "ship", "x").with(TaskOptions.header("x-tenant", "t-1"));
        assertThat(observations.around(task, each -> {
                    sent.set(each);
                    return ref;
                }))
                .isSameAs(ref);
    }

    private static TaskContext task() {
        TaskContext task = mock(TaskContext.class);
        when(task.id()).thenReturn("id-7");
        when(task.queue()).thenReturn("orders");
        when(task.type()).thenReturn("ship");
        when(task.headers()).thenReturn(Map.of("traceparent", "00-3-4-01"));
        when(task.waited()).thenReturn(Optional.empty());
        return task;
    }

    private Observation.Context observation() {
        assertThat(ended).hasSize(1);
        return ended.get(0);
    }

    private String tag(String key) {
        return observation().getLowCardinalityKeyValue(key).getValue();
    }

    @Test
    void aSubmissionCarriesTheContextAndEndsWithTheAcknowledgement() {
        submit();

        assertThat(sent.get().options().headers())
                .containsOnly(Map.entry("x-tenant", "t-1"), Map.entry("traceparent", "00-1-2-01"));
        assertThat(ended).isEmpty();
        accepted.complete(null);
        assertThat(observation().getName()).isEqualTo("tandem.task.submit");
        assertThat(observation().getContextualName()).isEqualTo("publish orders");
        assertThat(tag("queue") + " " + tag("type")).isEqualTo("orders ship");
        assertThat(observation().getError()).isNull();
    }

    @Test
    void aSubmissionThatFailsOrIsRefusedIsAnError() {
        submit();
        accepted.completeExceptionally(new SubmitException("away"));
        assertThat(observation().getError()).isInstanceOf(SubmitException.class);

        ended.clear();
        assertThatThrownBy(() -> observations.around(TaskRequest.of("orders", "ship", "x"), each -> {
                    throw new InvalidTaskException("no");
                }))
                .isInstanceOf(InvalidTaskException.class);
        assertThat(observation().getError()).isInstanceOf(InvalidTaskException.class);
    }

    @Test
    void aRunReadsTheContextAndSaysHowItEnded() throws Exception {
        observations.around(task(), task -> Result.done());

        assertThat(received).containsEntry("traceparent", "00-3-4-01");
        assertThat(observation().getName()).isEqualTo("tandem.task.process");
        assertThat(tag("outcome")).isEqualTo("succeeded");
    }

    @Test
    void aRunThatFailsIsAnError() {
        assertThatThrownBy(() -> observations.around(task(), task -> {
                    throw new IOException("away");
                }))
                .isInstanceOf(IOException.class);

        assertThat(observation().getError()).isInstanceOf(IOException.class);
        assertThat(tag("outcome")).isEqualTo("retried");
    }

    @Test
    void callersCannotMakeAnyNumberOfTags() {
        for (int i = 0; i < 300; i++) {
            TaskRequest<?> task = TaskRequest.of("orders", "type-" + i, "x");
            observations.around(task, each -> ref());
        }
        accepted.complete(null);

        assertThat(ended.stream()
                        .map(each -> each.getLowCardinalityKeyValue("type").getValue()))
                .contains("other")
                .satisfies(
                        types -> assertThat(types.stream().distinct().count()).isLessThanOrEqualTo(201));
    }
}
