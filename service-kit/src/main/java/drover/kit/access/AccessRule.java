package drover.kit.access;

/** What a method asks of its caller. */
public sealed interface AccessRule {
    /** Nothing: health and the contracts, which hold no data. */
    record Open() implements AccessRule {}

    /** A principal with this scope. */
    record Needs(Scope scope) implements AccessRule {}
}
