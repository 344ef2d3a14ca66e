package drover.coordinator.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.group.GroupPauseReason;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;

/** Made from the sealed types, so that a new state is covered on arrival. */
class StateJsonTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

    static Stream<Object> rolloutStates() {
        return all(RolloutState.class);
    }

    static Stream<Object> nodeStates() {
        return all(NodeState.class);
    }

    static Stream<Object> choices() {
        return Stream.concat(all(Strategy.class), all(Threshold.class));
    }

    @ParameterizedTest
    @MethodSource("rolloutStates")
    void aRolloutStateIsReadBackEqual(RolloutState state) {
        assertThat(StateJson.readRolloutState(StateJson.write(state))).isEqualTo(state);
        assertThat(StateJson.write(state))
                .contains(
                        "\"status\":\""
                                + drover.coordinator.plan.model.StateNameFormatter.of(state)
                                + "\"");
    }

    @ParameterizedTest
    @MethodSource("nodeStates")
    void aNodeStateIsReadBackEqual(NodeState state) {
        assertThat(StateJson.readNodeState(StateJson.write(state))).isEqualTo(state);
    }

    @ParameterizedTest
    @MethodSource("choices")
    void aStrategyOrThresholdHasAWordOfItsOwn(Object choice) {
        assertThat(StateJson.write(choice)).contains(StateJson.typeName(choice.getClass()));
    }

    @Test
    @DisplayName("C15: a case or a word that is not known is a later version's")
    void aCaseOrAWordOfALaterVersionIsCalledThat() {
        assertThatThrownBy(() -> StateJson.readRolloutState("{\"status\": \"frozen\"}"))
                .isInstanceOf(UnreadableRow.class);
        assertThatThrownBy(
                        () ->
                                StateJson.readRolloutState(
                                        "{\"status\": \"failed\", \"reason\": \"MOOD\","
                                                + " \"since\": \"2026-01-01T00:00:00Z\"}"))
                .isInstanceOf(UnreadableRow.class);
    }

    @ParameterizedTest
    @CsvSource({
        "NO_FLEET_VISIBILITY, BLIND",
        "CANARY_UNHEALTHY, CANARY_UNWELL",
    })
    @DisplayName("C15: a row of an earlier version may have an earlier name of a pause reason")
    void readsEarlierNamesOfPauseReasons(PauseReason reason, String earlier) {
        RolloutState paused = new RolloutState.Running(NOW).pause(reason, NOW);
        String row = StateJson.write(paused).replace(reason.name(), earlier);
        assertThat(row).contains("\"" + earlier + "\"");
        assertThat(StateJson.readRolloutState(row)).isEqualTo(paused);
        assertThat(PauseReason.ofCode(earlier)).contains(reason);
    }

    @Test
    void readsEarlierNamesOfPauseReasonsOfGroups() {
        GroupState paused =
                new GroupState.Paused(
                        new GroupState.RollingBack(NOW),
                        GroupPauseReason.COMPONENT_REQUEST_REFUSED,
                        NOW);
        String row =
                StateJson.write(paused).replace("COMPONENT_REQUEST_REFUSED", "STEERING_REFUSED");
        assertThat(row).contains("STEERING_REFUSED");
        assertThat(StateJson.readGroupState(row)).isEqualTo(paused);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"status\": \"running\", ",
                "{}",
                "[]",
                "{\"status\": \"running\", \"since\": \"soon\"}"
            })
    void whatIsBrokenIsABugAndNotALaterVersion(String json) {
        assertThatThrownBy(() -> StateJson.readRolloutState(json))
                .isInstanceOf(JacksonException.class)
                .isNotInstanceOf(UnreadableRow.class);
    }

    /** Every record of a sealed family, each component with every kind of value it may have. */
    private static Stream<Object> all(Class<?> type) {
        if (type.isRecord()) {
            return records(type);
        }
        return Arrays.stream(type.getPermittedSubclasses()).flatMap(StateJsonTest::all).distinct();
    }

    private static Stream<Object> records(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        List<Object[]> rows = List.<Object[]>of(new Object[0]);
        for (RecordComponent component : components) {
            List<Object> values = values(component).toList();
            rows =
                    rows.stream()
                            .flatMap(row -> values.stream().map(value -> append(row, value)))
                            .toList();
        }
        return rows.stream().map(row -> make(type, components, row));
    }

    private static Object[] append(Object[] row, Object value) {
        Object[] longer = Arrays.copyOf(row, row.length + 1);
        longer[row.length] = value;
        return longer;
    }

    private static Object make(Class<?> type, RecordComponent[] components, Object[] row) {
        try {
            Class<?>[] types =
                    Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new);
            return type.getDeclaredConstructor(types).newInstance(row);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Cannot make a " + type, e);
        }
    }

    private static Stream<Object> values(RecordComponent component) {
        if (component.getGenericType() instanceof ParameterizedType optional
                && component.getType() == Optional.class) {
            return Stream.concat(
                    Stream.of(Optional.empty()),
                    values((Class<?>) optional.getActualTypeArguments()[0]).map(Optional::of));
        }
        return values(component.getType());
    }

    private static Stream<Object> values(Class<?> type) {
        if (type == long.class) {
            return Stream.of(3_000_000_000L);
        } else if (type == int.class) {
            return Stream.of(7);
        } else if (type == boolean.class) {
            return Stream.of(true, false);
        } else if (type == String.class) {
            return Stream.of("", "a \"quoted\" text, ünïcode");
        } else if (type == Instant.class) {
            return Stream.of(Instant.parse("2026-01-01T00:00:00.123456Z"));
        } else if (type == Cause.class) {
            return Stream.of(new Cause("CODE", "A sentence."));
        } else if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants());
        }
        return all(type);
    }
}
