package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQImpl;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerErrorsTest {

    @Test
    void findsTheBrokersReplyInWrappedExceptions() {
        Exception wrapped = new IOException("wrapped", closed(404, "NOT_FOUND - no queue 'q'"));

        assertThat(BrokerErrors.replyCode(wrapped)).isEqualTo(AMQP.NOT_FOUND);
        assertThat(BrokerErrors.explain(wrapped)).isEqualTo("the broker replied NOT_FOUND - no queue 'q'");
        assertThat(BrokerErrors.isClosed(wrapped)).isTrue();
    }

    @Test
    void brokerThatRefusesALoginHasBeenReached() {
        assertThat(BrokerErrors.explainConnect(new AuthenticationFailureException("no")))
                .startsWith("the broker refused user or password: check tandem.rabbit.username");
        assertThat(BrokerErrors.explainConnect(new ConnectException("Connection refused")))
                .isEqualTo("the broker cannot be reached: Connection refused");
    }

    @Test
    void anAddressWhereNobodyAnswersIsToldApartFromABrokerThatRefuses() {
        assertThat(BrokerErrors.isNoConnection(new IOException(new ConnectException("Connection refused"))))
                .isTrue();
        assertThat(BrokerErrors.isNoConnection(new UnknownHostException("brokr")))
                .isTrue();
        assertThat(BrokerErrors.isNoConnection(new AuthenticationFailureException("no")))
                .isFalse();
    }

    @Test
    void namesTheCauseIfTheBrokerDidNotReply() {
        assertThat(BrokerErrors.replyCode(new IOException("x"))).isZero();
        assertThat(BrokerErrors.isClosed(new IOException("x"))).isFalse();
        assertThat(BrokerErrors.explain(new IOException(new ConnectException("Connection refused"))))
                .isEqualTo("Connection refused");
        assertThat(BrokerErrors.explain(new UnknownHostException("brokr")))
                .isEqualTo("the host name 'brokr' cannot be resolved");
        assertThat(BrokerErrors.explain(new IOException(new TimeoutException())))
                .isEqualTo("no answer in time");
        assertThat(BrokerErrors.explain(null)).isEqualTo("no reason given");
        assertThat(BrokerErrors.explain(new IOException())).isEqualTo("the connection failed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms.",
                "PRECONDITION_FAILED - Consumer 'c' on channel 1 and queue 'q' in vhost '/' has timed out waiting for a"
                        + " consumer acknowledgement of a delivery with delivery tag = 10.",
            })
    void explainsAConsumerTimeoutWithItsRemedy(String text) {
        assertThat(BrokerErrors.explainChannelEnd(closed(406, text), 5_000))
                .contains(text, "lower the queue's prefetch, which is 5000", "consumer_timeout in rabbitmq.conf");
    }

    @Test
    void explainsOtherEndsOfAChannel() {
        assertThat(BrokerErrors.explainChannelEnd(closed(406, "PRECONDITION_FAILED - unknown delivery tag 9"), 1))
                .isEqualTo("the broker replied PRECONDITION_FAILED - unknown delivery tag 9");
        assertThat(BrokerErrors.explainChannelEnd(null, 1)).contains("cancelled the consumer");
    }

    private static ShutdownSignalException closed(int code, String text) {
        return new ShutdownSignalException(false, false, new AMQImpl.Channel.Close(code, text, 0, 0), null);
    }
}
