package drover.coordinator.election;

final class AlwaysElectedElectorTest extends ElectorContract {
    @Override
    LeaderElector elector() {
        return new AlwaysElectedElector();
    }
}
