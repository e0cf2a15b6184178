# sshd on a loopback port with temporary keys; to be sourced after loopback-server.sh. Only the generated key is accepted;
# neither this machine's configuration nor the start-up files of the account's shell are read. The run folder has the client's
# files: `identity`, `known_hosts` and `ssh_config`. If `command` is set, the key can run nothing else; if `sftp` is set, that
# command serves sftp; `none` disables sftp. `option` is a further line of its configuration. If `chroot` is set, the account sees only that folder, which the
# command `in_front` prepares.

start_ssh() {
  local program who
  program=$(find_program sshd) || need sshd openssh-server
  command -v ssh >/dev/null || need ssh openssh-client
  who=$(id -un)
  # As root, sshd requires its empty folder.
  [ "$(id -u)" != 0 ] || mkdir -p -m 0755 /run/sshd
  ssh-keygen -q -t ed25519 -N '' -C host -f "$run/host"
  ssh-keygen -q -t ed25519 -N '' -C user -f "$run/identity"
  # With a command, the key can run nothing else, as with rrsync.
  [ -z "${command:-}" ] || printf 'restrict,command="%s" ' "$command" >"$run/authorized_keys"
  cat "$run/identity.pub" >>"$run/authorized_keys"
  echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$run/host.pub")" >"$run/known_hosts"
  cat >"$run/sshd_config" <<CONF
Port $port
ListenAddress 127.0.0.1
HostKey $run/host
PidFile $run/sshd.pid
AuthorizedKeysFile $run/authorized_keys
AuthenticationMethods publickey
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
AllowUsers $who
AllowTcpForwarding no
X11Forwarding no
PrintMotd no
PrintLastLog no
UseDNS no
SetEnv HOME=$run
MaxStartups 1000
LogLevel VERBOSE
CONF
  [ -z "${chroot:-}" ] || echo "ChrootDirectory $chroot" >>"$run/sshd_config"
  [ -z "${option:-}" ] || echo "$option" >>"$run/sshd_config"
  [ "${sftp:-}" = none ] || echo "Subsystem sftp ${sftp:-internal-sftp}" >>"$run/sshd_config"
  cat >"$run/ssh_config" <<CONF
Host 127.0.0.1
  Port $port
  User $who
  IdentityFile $run/identity
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile $run/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  BatchMode yes
CONF
  launch ${in_front[@]+"${in_front[@]}"} "$program" -D -e -f "$run/sshd_config"
  url="ssh://$who@127.0.0.1:$port$root"
}
