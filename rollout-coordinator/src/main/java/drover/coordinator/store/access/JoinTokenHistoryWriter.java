package drover.coordinator.store.access;

import drover.coordinator.store.sql.StoreUnavailable;
import java.util.List;

/** Join tokens in the audited history. All methods throw {@link StoreUnavailable}. */
public interface JoinTokenHistoryWriter {
    /** Appends what the history lacks of these tokens. Repeating it appends nothing. */
    void recordTokens(List<GatewayJoinTokenReport> tokens);
}
