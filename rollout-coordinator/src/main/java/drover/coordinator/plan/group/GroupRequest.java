package drover.coordinator.plan.group;

/** What an operator asks of a group. */
public sealed interface GroupRequest {
    /** Begin with the first component. */
    record Start() implements GroupRequest {}

    /** Begin nothing more, and pause what is under way. */
    record Pause() implements GroupRequest {}

    /**
     * Go on.
     *
     * @param acknowledgedFailures failures of the component that are accepted; 0 when none are
     */
    record Resume(int acknowledgedFailures) implements GroupRequest {}

    /** Begin nothing more, ever. */
    record Cancel() implements GroupRequest {}

    /** Roll every component back that was begun. */
    record Rollback() implements GroupRequest {}

    /** Give the component up, or pass the gate, at which it is paused. */
    record Skip() implements GroupRequest {}

    /**
     * What a later version of a coordinator wrote down; nothing here knows what it means.
     *
     * @param kind the word it has there
     */
    record Unknown(String kind) implements GroupRequest {}

    /** Whether it leads towards more risk: such a request expires after 60 s, the others never. */
    default boolean raisesRisk() {
        return switch (this) {
            case Start s -> true;
            case Resume r -> true;
            case Skip s -> true;
            case Pause p -> false;
            case Cancel c -> false;
            case Rollback r -> false;
            case Unknown u -> false; // refused at once, however old it is
        };
    }
}
