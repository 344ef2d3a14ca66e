package drover.coordinator.store;

import java.util.List;

/** Join tokens in the audited history. All methods throw {@link StoreUnavailable}. */
public interface JoinTokenHistory {
    /** Appends what the history lacks of these tokens. Repeating it appends nothing. */
    void record(List<JoinTokenFacts> tokens);
}
