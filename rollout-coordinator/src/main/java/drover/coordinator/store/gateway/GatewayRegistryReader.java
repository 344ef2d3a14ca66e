package drover.coordinator.store.gateway;

import drover.coordinator.store.sql.StoreUnavailable;
import java.util.List;

/** Where the gateways are, as they themselves wrote down. Throws {@link StoreUnavailable}. */
public interface GatewayRegistryReader {
    /** Gateways seen lately. */
    List<RegisteredGateway> listRecentGateways();

    /** One gateway. */
    record RegisteredGateway(String id, String address) {}
}
