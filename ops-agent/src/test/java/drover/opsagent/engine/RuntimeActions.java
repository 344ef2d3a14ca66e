package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.model.program.StopSettings;
import drover.opsagent.engine.IdempotencyCheck.Node;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The runtime's operations alone, without the executor's looks: what was done is done again.
 * Whoever writes a runtime owes that each of them may be repeated.
 *
 * @param previous the program as the node had it
 */
record RuntimeActions(
        Node node,
        Work.Upgrade upgrade,
        ProgramProfile previous,
        PreUpgradeState.Recorded before,
        Map<Digest, byte[]> contents,
        Path backup,
        Path staged)
        implements AttemptActions {
    @Override
    public void perform(UpgradeAction action) {
        NodeRuntime runtime = node.runtime();
        switch (action) {
            case BACKUP_STATE -> runtime.backup(backup, previous, before, node.soon());
            case ACQUIRE_ARTIFACT ->
                    runtime.acquire(upgrade.artifact(), staged, node.soon(), _ -> {});
            case VERIFY_ARTIFACT -> runtime.verify(upgrade.artifact(), staged);
            case STOP_NODE ->
                    runtime.stop(previous.spec().name(), StopSettings.RUNTIME_DEFAULT, node.soon());
            case INSTALL_ARTIFACT -> runtime.install(upgrade.spec(), upgrade.artifact(), staged);
            case WRITE_CONFIGS -> writeConfigs();
            case RELOAD_DAEMON -> runtime.reload();
            case START_NODE -> {
                runtime.stop(upgrade.spec().name(), StopSettings.RUNTIME_DEFAULT, node.soon());
                runtime.start(
                        upgrade.spec(),
                        upgrade.artifact().digest(),
                        upgrade.targetConfigDigest(),
                        node.soon());
            }
        }
    }

    private void writeConfigs() {
        for (ConfigFile file : upgrade.files()) {
            node.runtime().writeConfig(file.path(), content(file));
        }
        keep(new ProgramInspector(node.runtime()).profileAfter(upgrade, previous));
    }

    private byte[] content(ConfigFile file) {
        return Objects.requireNonNull(contents.get(file.digest()));
    }

    private void keep(ProgramProfile program) {
        node.state().saveRecord(node.state().loadProfile().with(program));
    }

    @Override
    public List<UndoStep> wayBack() {
        return List.of(UndoStep.STOP, UndoStep.FILES, UndoStep.RELOAD, UndoStep.START);
    }

    @Override
    public void undo(UndoStep step) {
        NodeRuntime runtime = node.runtime();
        switch (step) {
            case STOP ->
                    runtime.stop(previous.spec().name(), StopSettings.RUNTIME_DEFAULT, node.soon());
            case FILES -> keep(runtime.restoreFiles(backup, before));
            case RELOAD -> runtime.reload();
            case START -> {
                runtime.stop(previous.spec().name(), StopSettings.RUNTIME_DEFAULT, node.soon());
                runtime.start(
                        previous.spec(),
                        new Digest(before.digest()),
                        before.configDigest(),
                        node.soon());
            }
            case CURRENT, SUCCESSOR ->
                    throw new IllegalStateException("No runtime runs an agent: " + step);
        }
    }
}
