package drover.opsagent.engine;

import drover.model.UpgradeAction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every runtime keeps to, generated from the actions: each may be done twice, each step back
 * may be taken twice, and after the way back the node is as it was. The real systemd and the real
 * Docker engine are held to the same {@link IdempotencyCheck} where they run.
 */
public abstract class ActionsContract {
    /** A fresh node. */
    protected abstract IdempotencyCheck.Node node();

    @ParameterizedTest
    @EnumSource(UpgradeAction.class)
    @DisplayName("D3 D4 D5 D7 D11 D19: as the executor does it")
    void eachActionMayBeRepeatedAndTakenBack(UpgradeAction last) {
        new IdempotencyCheck(node()).asTheExecutorDoes(last);
    }

    @ParameterizedTest
    @EnumSource(UpgradeAction.class)
    @DisplayName("D6 D11 D19: by the runtime's operations alone, which look at nothing first")
    void eachOperationMayBeRepeatedAndTakenBack(UpgradeAction last) {
        new IdempotencyCheck(node()).byBareOperations(last);
    }
}
