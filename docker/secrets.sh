#!/bin/sh
# Makes the passwords that docker-compose.yml's RabbitMQ, PostgreSQL and servers share, once, in a volume that only they
# see. RABBITMQ_PASSWORD, if it is set at the first start, is taken instead of a random one.
set -eu
umask 022
cd "${1:?usage: secrets.sh FOLDER}"
random() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}
if [ ! -s postgres-password ]; then
  random >postgres-password.new
  mv postgres-password.new postgres-password # whole
fi
if [ ! -s rabbitmq-password ]; then
  # Letters and digits only: it becomes part of an address.
  password="${RABBITMQ_PASSWORD:-$(random)}"
  case $password in
    *[!A-Za-z0-9._~-]*)
      echo "RABBITMQ_PASSWORD may have letters, digits and . _ ~ - only" >&2
      exit 1
      ;;
  esac
  printf '%s' "$password" >rabbitmq-password.new
  printf 'amqp://tandem:%s@rabbitmq:5672' "$password" >rabbitmq-uri
  mv rabbitmq-password.new rabbitmq-password # last, and whole
fi
