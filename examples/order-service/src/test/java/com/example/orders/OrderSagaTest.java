package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import com.example.orders.Order.State;
import dev.tandem.test.TandemTest;
import dev.tandem.test.TestTandem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The course of an order, in memory: no broker, no database, and hours in milliseconds. */
@TandemTest
class OrderSagaTest {

    private static final IllegalStateException AWAY = new IllegalStateException("the provider is away");

    @Autowired
    OrderTasks tasks;

    @Autowired
    TestTandem tandem;

    @Autowired
    InMemoryShop shop;

    @MockitoBean
    Payments payments;

    @MockitoBean
    Carrier carrier;

    @MockitoBean
    Mailer mailer;

    @TestConfiguration
    static class Doubles {

        @Bean
        InMemoryShop shop() {
            return new InMemoryShop();
        }

        @Bean
        Effects effects() {
            return (task, effects) -> effects.run();
        }
    }

    @BeforeEach
    void fillTheStock() {
        shop.clear();
    }

    private void place(String id, int pieces) {
        shop.add(new Order(id, "eve", "teapot", pieces, "card", State.PLACED));
        tasks.reserve(id, new OrderStep(id));
    }

    private State state(String id) {
        return shop.get(id).state();
    }

    @Test
    void anOrderIsReservedPaidAndShipped() {
        place("o-1", 2);

        tandem.assertThatTasks().succeeded().attempts(1).count(5);
        assertThat(state("o-1")).isEqualTo(State.SHIPPED);
        assertThat(shop.pieces("teapot")).isEqualTo(8);
        verify(payments).charge("o-1", "card");
        verify(mailer).send(new Mail("eve", "Your order o-1 of teapot is on its way"));
    }

    @Test
    void whatIsSoldOutIsNotPaid() {
        place("o-1", 11);

        tandem.assertThat("pay").isNotSubmitted();
        assertThat(state("o-1")).isEqualTo(State.SOLD_OUT);
    }

    @Test
    void anOrderWaitsWhileThePaymentProviderIsAwayAndOthersGoOn() {
        doThrow(AWAY).doThrow(AWAY).doNothing().when(payments).charge("o-1", "card");
        place("o-1", 1);
        place("o-2", 1);

        tandem.assertThat("pay").withKey("o-1").isWaiting().attempts(1);
        tandem.assertThat("conclude").withKey("o-1").isWaiting().attempts(0);
        assertThat(state("o-2")).isEqualTo(State.SHIPPED);

        tandem.advance("3s").assertThat("pay").withKey("o-1").succeeded().attempts(3);
        assertThat(state("o-1")).isEqualTo(State.SHIPPED);
    }

    @Test
    void aRefusedCardGivesThePiecesBack() {
        doThrow(new CardRefusedException("stolen")).when(payments).charge("o-1", "card");
        place("o-1", 2);

        tandem.assertThat("pay").isDead("stolen").attempts(1);
        assertThat(state("o-1")).isEqualTo(State.CANCELLED);
        assertThat(shop.pieces("teapot")).isEqualTo(10);
        verify(payments).refund("o-1");
        verify(carrier, never()).book(anyString(), anyLong());
        tandem.assertThat("mail").succeeded().count(1);
    }

    @Test
    void aPaymentThatUsesUpItsAttemptsIsRefundedAndThePiecesAreGivenBack() {
        doThrow(AWAY).when(payments).charge("o-1", "card");
        place("o-1", 2);

        tandem.advance("14s").assertThat("conclude").isWaiting();
        tandem.advance("1s").assertThat("pay").isDead("the provider is away").attempts(5);
        assertThat(state("o-1")).isEqualTo(State.CANCELLED);
        assertThat(shop.pieces("teapot")).isEqualTo(10);
        verify(payments).refund("o-1");
    }

    @Test
    void aCarrierThatIsAwayForHoursIsAskedAgain() {
        doThrow(AWAY).doThrow(AWAY).doThrow(AWAY).doNothing().when(carrier).book(eq("o-1"), anyLong());
        doNothing().when(payments).charge("o-1", "card");
        place("o-1", 1);

        tandem.assertThat("ship").isWaiting().attempts(1);
        tandem.advance("2h").assertThat("ship").succeeded().attempts(4);
        assertThat(state("o-1")).isEqualTo(State.SHIPPED);
    }
}
