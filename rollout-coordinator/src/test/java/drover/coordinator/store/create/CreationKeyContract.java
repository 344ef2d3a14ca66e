package drover.coordinator.store.create;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.store.create.RolloutCreationStore.CreationResult;
import drover.coordinator.store.create.RolloutCreationStore.ExistingRollout;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.rollout.StoredRollout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** H6: an idempotency key belongs to the operator who used it. */
public abstract class CreationKeyContract {
    private static final String KEY = "key-1";

    /** An empty store. */
    public abstract RolloutCreationStore store();

    private static NewRollout fresh(String chain, String actor) {
        NewRollout fresh = StoredRollout.fresh(Plan.rolling(chain, 2, 1), KEY);
        return new NewRollout(
                fresh.rollout(),
                fresh.canarySeed(),
                fresh.traceId(),
                actor,
                fresh.key(),
                fresh.requestDigest(),
                fresh.payloads(),
                fresh.contents(),
                fresh.history(),
                fresh.plan());
    }

    @Test
    @DisplayName("H6: a key that one operator used does not return the rollout to another operator")
    void aKeyOfAnotherOperatorIsAnotherKey() {
        NewRollout first = fresh("demo", "alice");
        NewRollout second = fresh("other", "bob");
        assertThat(store().create(first)).isInstanceOf(CreationResult.Written.class);

        assertThat(store().findByIdempotencyKey("bob", KEY)).isEmpty();
        assertThat(store().create(second)).isInstanceOf(CreationResult.Written.class);

        assertThat(store().findByIdempotencyKey("alice", KEY).map(ExistingRollout::id))
                .contains(first.rollout().id());
        assertThat(store().findByIdempotencyKey("bob", KEY).map(ExistingRollout::id))
                .contains(second.rollout().id());
    }

    @Test
    @DisplayName("H6: with the same key another operator learns only that the chain is in use")
    void anotherOperatorLearnsThatTheChainIsInUse() {
        NewRollout first = fresh("demo", "alice");
        store().create(first);
        assertThat(store().create(fresh("demo", "bob")))
                .isEqualTo(new CreationResult.ChainBusy(first.rollout().id()));
        assertThat(store().create(fresh("demo", "alice")))
                .isEqualTo(
                        new CreationResult.Repeated(
                                new ExistingRollout(first.rollout().id(), first.requestDigest())));
    }

    @Test
    @DisplayName("H6: actor and key are separate: no pair is mistaken for another one")
    void actorAndKeyAreSeparate() {
        store().create(fresh("demo", "alice"));
        assertThat(store().findByIdempotencyKey("alice " + KEY, "")).isEmpty();
        assertThat(store().findByIdempotencyKey("", KEY)).isEmpty();
        assertThat(store().findByIdempotencyKey("", "alice/" + KEY)).isEmpty();
    }
}
